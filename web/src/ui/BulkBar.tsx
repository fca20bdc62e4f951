import type { Resource, Row, Step } from "@api";
import { Button } from "@patternfly/react-core";
import { Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { later } from "./later";
import type { Selection } from "./useSelection";

/** BulkAction is something to do to many rows at once. */
export interface BulkAction<R extends Row> {
	id: string;
	title: string;
	danger?: boolean;
	/** Rows that it is for; the others are left as they are. */
	fits?: (row: R) => boolean;
	step: (row: R) => Step;
}

interface Props<R extends Row> {
	resource: Pick<Resource<R, never>, "path" | "tag" | "name" | "component">;
	selection: Selection<R>;
	actions: BulkAction<R>[];
}

const BulkDialog = later(
	"bulk action",
	() => import("./change/BulkDialog"),
) as unknown as typeof import("./change/BulkDialog").default;

/** BulkBar says how many rows are ticked, and what can be done to them. */
export function BulkBar<R extends Row>({ resource, selection, actions }: Props<R>) {
	const { t } = useTranslation("ui");
	const [open, setOpen] = useState<BulkAction<R>>();
	const count = selection.rows.length;
	if (count === 0) return null;
	return (
		<div className="gw-bulk" role="toolbar" aria-label={t("bulk.label")}>
			<strong role="status">{t("bulk.selected", { count })}</strong>
			{actions.map((action) => (
				<Button
					key={action.id}
					size="sm"
					variant={action.danger ? "danger" : "secondary"}
					isDisabled={!selection.rows.some((row) => action.fits?.(row) ?? true)}
					onClick={() => setOpen(action)}
				>
					{action.title}
				</Button>
			))}
			<Button size="sm" variant="link" onClick={selection.clear}>
				{t("bulk.clear")}
			</Button>
			<Suspense fallback={null}>
				{open && (
					<BulkDialog
						resource={resource}
						rows={selection.rows.filter((row) => open.fits?.(row) ?? true)}
						action={open}
						onDone={selection.clear}
						onClose={() => setOpen(undefined)}
					/>
				)}
			</Suspense>
		</div>
	);
}
