import { ApiError, operationOf, planBulk, type Resource, type Row, useBulk } from "@api";
import { type ReactNode, useState } from "react";
import type { BulkAction } from "../BulkBar";
import { ConfirmDialog } from "../ConfirmDialog";
import { useErrorText } from "../errorText";
import { useTranslation } from "../translation";
import { batchErrors } from "./batchErrors";
import { tell } from "./outcome";
import { useQuestion } from "./useQuestion";

interface Props<R extends Row> {
	resource: Pick<Resource<R, never>, "path" | "tag" | "name" | "component" | "risky">;
	rows: R[];
	/** Those that were ticked as well, and that it is not for. */
	skipped: R[];
	action: BulkAction<R>;
	/** More to say than yes, above the names. */
	children?: ReactNode;
	/** What of that is still to be said; it is not done without. */
	missing?: string;
	onDone: () => void;
	onClose: () => void;
}

/** BulkDialog asks before something is done to many rows, and shows what that changes. */
export default function BulkDialog<R extends Row>({ resource, rows, skipped, action, ...props }: Props<R>) {
	const { children, missing, onDone, onClose } = props;
	const { t } = useTranslation("ui");
	const plain = useErrorText();
	const { mutateAsync, isPending: busy } = useBulk(resource.tag, ...(action.touches ?? []));
	const stepOf = (row: R) => action.step?.(row) ?? { method: "DELETE" as const };
	const operations = rows.map((row) => operationOf(resource.path, row, stepOf(row)));
	const risky = rows.some((row) => resource.risky?.(row, stepOf(row).body as never) ?? false);
	const count = rows.length;
	const nameOf = (row: R) => resource.name(row);
	const names = rows.map(nameOf);
	const [warned, setWarned] = useState(false);
	const text = (error: unknown) => (error instanceof Warning ? error.message : worded(error));
	// Who is told of one object may think that the others are done.
	const none = t(rows.every((row) => stepOf(row).method === "DELETE") ? "bulk.noneDeleted" : "bulk.noneChanged");
	const worded = (error: unknown) => {
		const refusal = batchErrors(error, names)?.join(" ") ?? plain(error);
		return error instanceof ApiError && error.status >= 400 && error.status < 500 ? `${refusal} ${none}` : refusal;
	};
	// One that names no kind of object, such as Disable, is the same for several.
	const many = count > 1 ? action.many?.(count) : undefined;
	const { component } = resource;
	const { carry, bar, refused } = useQuestion({ component, risky, plan: () => planBulk(operations), busy, text });
	const confirm = async () => {
		if (missing) throw new Warning(missing);
		const warning = warned ? undefined : await action.warns?.(rows);
		if (warning) {
			setWarned(true);
			throw new Warning(warning);
		}
		await carry((ask) => mutateAsync({ operations, ask })).then(({ outcome }) => {
			tell(t("bulk.done", { action: action.title, count }), component, outcome);
			onDone();
		});
	};
	return (
		<ConfirmDialog
			title={many ?? action.title}
			confirm={many ?? (children ? action.title : t("bulk.confirm", { action: action.title, count }))}
			danger={action.danger}
			errorText={text}
			refused={refused}
			onConfirm={confirm}
			onClose={onClose}
		>
			{children}
			<p>{t("bulk.question", { count })}</p>
			<Names names={names} />
			{skipped.length > 0 && (
				<>
					<p>
						{t("bulk.skipped", { count: skipped.length })} {action.skipped}
					</p>
					<Names names={skipped.map(nameOf)} />
				</>
			)}
			{bar}
		</ConfirmDialog>
	);
}

/** Warning keeps the question open, with what has to be known before it is answered again. */
class Warning extends Error {}

/** shown is how many names the question has; the preview has all. */
const shown = 8;

function Names({ names }: { names: string[] }) {
	const { t } = useTranslation("ui");
	return (
		<ul className="gw-bulk-names">
			{names.slice(0, shown).map((name) => (
				<li key={name} title={name}>
					{name}
				</li>
			))}
			{names.length > shown && (
				<li title={names.slice(shown).join(", ")}>{t("bulk.more", { count: names.length - shown })}</li>
			)}
		</ul>
	);
}
