import type { ApiError } from "@api";
import { ConfirmDialog } from "../ConfirmDialog";
import { useErrorText } from "../errorText";
import { useTranslation } from "../translation";

interface Props {
	error: ApiError;
	seconds: number;
	onAgain: () => Promise<unknown>;
	onClose: () => void;
}

/** LockoutDialog says that a change would cut off whoever makes it, and offers to try it with a way back. */
export default function LockoutDialog({ error, seconds, onAgain, onClose }: Props) {
	const { t } = useTranslation("ui");
	const text = useErrorText();
	return (
		<ConfirmDialog
			title={t("lockout.title")}
			confirm={t("lockout.again", { seconds })}
			cancel={t("lockout.leave")}
			danger
			onConfirm={onAgain}
			onClose={onClose}
		>
			<p>{text(error)}</p>
			<p>{t("lockout.text", { seconds })}</p>
		</ConfirmDialog>
	);
}
