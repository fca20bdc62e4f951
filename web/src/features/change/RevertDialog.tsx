import { ApiError, type ChangeDetail, carryOut, queryClient, revertChange, tryOut } from "@api";
import { askOf, ChangeBar, ConfirmDialog, Notice, subjectOf, tell, titleOf, unsaid, useErrorText } from "@ui";
import { useTranslation } from "@ui/translation";
import { useState } from "react";
import { type Conflict, ConflictTable } from "./ConflictTable";

/** RevertDialog undoes one change, also one in the middle; where later ones touched the same fields it shows them. */
export function RevertDialog({ change, onClose }: { change: ChangeDetail; onClose: () => void }) {
	const { t } = useTranslation("change");
	const words = useErrorText();
	const [said, say] = useState(unsaid);
	const [busy, setBusy] = useState(false);
	const [unseen, setUnseen] = useState<unknown>();
	const [conflicts, setConflicts] = useState<Conflict[]>([]);
	const path = { id: change.id };
	const component = change.rounds[0]?.component ?? change.component;
	const learn = (error: unknown) => {
		const fields = error instanceof ApiError ? error.current : undefined;
		setConflicts(Array.isArray(fields) ? (fields as Conflict[]) : []);
	};
	const look = () =>
		tryOut((headers) => revertChange({ path, headers })).catch((error: unknown) => {
			learn(error);
			setUnseen(error);
			return undefined;
		});
	const revert = async () => {
		setBusy(true);
		setUnseen(undefined);
		try {
			const { outcome } = await carryOut(askOf(said, false), (headers) => revertChange({ path, headers }));
			tell(t("revert.done"), component, outcome);
		} catch (error) {
			learn(error);
			throw error;
		} finally {
			setBusy(false);
			void queryClient.invalidateQueries();
		}
	};
	return (
		<ConfirmDialog
			title={t("revert.title")}
			confirm={t("revert.button")}
			wide={conflicts.length > 0}
			onConfirm={revert}
			onClose={onClose}
		>
			<p>{t("revert.text", { what: [titleOf(change), subjectOf(change)].filter(Boolean).join(": ") })}</p>
			<div className="gw-change-ask">
				{unseen !== undefined && <Notice kind="danger" title={words(unseen)} />}
				{conflicts.length > 0 && <ConflictTable conflicts={conflicts} />}
				<ChangeBar
					component={component}
					risky={false}
					atOnce={change.apply === null || change.confirm_state === "waiting"}
					said={said}
					onSay={say}
					plan={look}
					busy={busy}
				/>
			</div>
		</ConfirmDialog>
	);
}
