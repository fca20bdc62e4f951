import { useBlocker } from "@tanstack/react-router";
import { ConfirmDialog } from "./ConfirmDialog";
import { useTranslation } from "./translation";

interface Place {
	pathname: string;
	search: unknown;
}

/** leaves says whether a navigation goes away from an open form: to another page, or out of its dialog (?do=…). */
export function leaves(from: Place, to: Place): boolean {
	const dialog = (place: Place) => (place.search as { do?: string }).do;
	return from.pathname !== to.pathname || dialog(from) !== dialog(to);
}

/** LeaveGuard asks before typed input is lost; when is asked at the moment of leaving. */
export function LeaveGuard({ when }: { when: () => boolean }) {
	const { t } = useTranslation("ui");
	const { status, proceed, reset } = useBlocker({
		shouldBlockFn: ({ current, next }) => when() && leaves(current, next),
		enableBeforeUnload: when,
		withResolver: true,
	});
	if (status !== "blocked") return null;
	return (
		<ConfirmDialog
			title={t("leave.title")}
			confirm={t("leave.confirm")}
			cancel={t("leave.stay")}
			danger
			onConfirm={proceed}
			onClose={reset}
		>
			{t("leave.text")}
		</ConfirmDialog>
	);
}
