import { operationOf, planBulk, type Resource, type Row, useBulk } from "@api";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { BulkAction } from "../BulkBar";
import { ConfirmDialog } from "../ConfirmDialog";
import { useErrorText } from "../errorText";
import { Notice } from "../Notice";
import { askOf, unsaid } from "./ask";
import { ChangeBar } from "./ChangeBar";
import { tell } from "./outcome";
import { useLockout } from "./useLockout";

interface Props<R extends Row> {
	resource: Pick<Resource<R, never>, "path" | "tag" | "name" | "component" | "risky">;
	rows: R[];
	action: BulkAction<R>;
	onDone: () => void;
	onClose: () => void;
}

/** shown is how many names the question has; the preview has all. */
const shown = 8;

/** BulkDialog asks before something is done to many rows, and shows what that changes. */
export default function BulkDialog<R extends Row>({ resource, rows, action, onDone, onClose }: Props<R>) {
	const { t } = useTranslation("ui");
	const text = useErrorText();
	const { mutateAsync: carry, isPending } = useBulk(resource.tag);
	const [said, say] = useState(unsaid);
	const [error, setError] = useState<unknown>();
	const lockout = useLockout();
	const operations = rows.map((row) => operationOf(resource.path, row, action.step(row)));
	const risky = rows.some((row) => resource.risky?.(row, action.step(row).body as never) ?? false);
	const count = rows.length;
	const confirm = () =>
		lockout
			.run(resource.component ? askOf(said, risky) : {}, (ask) => carry({ operations, ask }))
			.then(({ outcome }) => {
				tell(t("bulk.done", { action: action.title, count }), resource.component, outcome);
				onDone();
			});
	const look = () =>
		planBulk(operations).catch((failure: unknown) => {
			setError(failure);
			return undefined;
		});
	const names = rows.slice(0, shown).map((row) => resource.name(row));
	return (
		<ConfirmDialog
			title={action.title}
			confirm={t("bulk.confirm", { action: action.title, count })}
			danger={action.danger}
			onConfirm={confirm}
			onClose={onClose}
		>
			<p>{t("bulk.question", { count })}</p>
			<ul className="gw-bulk-names">
				{names.map((name) => (
					<li key={name} title={name}>
						{name}
					</li>
				))}
				{count > shown && <li>{t("bulk.more", { count: count - shown })}</li>}
			</ul>
			{resource.component && (
				<div className="gw-remove-bar">
					{error !== undefined && <Notice kind="danger" title={text(error)} />}
					<ChangeBar
						component={resource.component}
						risky={risky}
						said={said}
						onSay={say}
						plan={look}
						busy={isPending}
					/>
				</div>
			)}
			{lockout.dialog}
		</ConfirmDialog>
	);
}
