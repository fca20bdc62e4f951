import type { Resource, Row, Step } from "@api";
import { Button } from "@patternfly/react-core";
import { type ReactNode, Suspense, useState } from "react";
import { later } from "./later";
import { toast } from "./toast";
import { useTranslation } from "./translation";
import type { Selection } from "./useSelection";

/** BulkAction is something to do to many rows at once. */
export interface BulkAction<R extends Row> {
	id: string;
	title: string;
	/** The same of several: "Delete 2 backends". */
	many?: (count: number) => string;
	danger?: boolean;
	/** Rows that it is for; the others are left as they are. */
	fits?: (row: R) => boolean;
	/** Why the others are left as they are, said above their names. */
	skipped?: string;
	/** Tags of what it changes beside the rows themselves. */
	touches?: string[];
	/** What is done to each row; all of them are one change. */
	step?: (row: R) => Step;
	/** What has to be said before it is done, where that is so; then it is asked a second time. */
	warns?: (rows: R[]) => Promise<string | undefined>;
	/** A question of its own, where more is to be said than yes. */
	dialog?: (given: { rows: R[]; onDone: () => void; onClose: () => void }) => ReactNode;
}

interface Props<R extends Row> {
	resource: Pick<Resource<R, never>, "path" | "tag" | "name" | "component">;
	selection: Selection<R>;
	actions: BulkAction<R>[];
	/** Loads the list anew: rows may have changed since they were ticked. */
	all: () => Promise<R[]>;
}

const BulkDialog = later(
	"bulk action",
	() => import("./change/BulkDialog"),
) as unknown as typeof import("./change/BulkDialog").default;

/** BulkBar says how many rows are ticked, and what can be done to them. */
export function BulkBar<R extends Row>({ resource, selection, actions, all }: Props<R>) {
	const { t } = useTranslation("ui");
	const [open, setOpen] = useState<{ action: BulkAction<R>; rows: R[]; skipped: R[] }>();
	const count = selection.rows.length;
	const start = (action: BulkAction<R>) =>
		all().then(
			(fresh) => {
				const rows = fresh.filter((row) => selection.has(row.id));
				selection.set(rows);
				const fits = (row: R) => action.fits?.(row) ?? true;
				if (!rows.some(fits)) return toast.info(t("bulk.none"), { detail: action.skipped });
				setOpen({ action, rows: rows.filter(fits), skipped: rows.filter((row) => !fits(row)) });
			},
			() => toast.danger(t("bulk.failed")),
		);
	const ends = { onDone: selection.clear, onClose: () => setOpen(undefined) };
	if (count === 0) return null;
	return (
		<div className="gw-bulk" role="toolbar" aria-label={t("bulk.label")}>
			<strong role="status">{t("bulk.selected", { count })}</strong>
			{actions.map((action) => (
				<Button
					key={action.id}
					size="sm"
					variant={action.danger ? "danger" : "secondary"}
					onClick={() => void start(action)}
				>
					{action.title}
				</Button>
			))}
			<Button size="sm" variant="link" onClick={selection.clear}>
				{t("bulk.clear")}
			</Button>
			<Suspense fallback={null}>
				{open &&
					(open.action.dialog?.({ rows: open.rows, ...ends }) ?? (
						<BulkDialog resource={resource} {...open} {...ends} />
					))}
			</Suspense>
		</div>
	);
}
