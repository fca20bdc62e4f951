import { useMutation } from "@tanstack/react-query";
import { BusyButton } from "@ui";
import { useTranslation } from "@ui/translation";
import { backUp } from "./now";
import { useBackups } from "./requests";

/** BackUpNow makes a backup. Its row in the list shows how far it is. */
export function BackUpNow() {
	const { t } = useTranslation("backup");
	const { mutate, isPending } = useMutation({ mutationFn: () => backUp(t) });
	const running = useBackups().data?.some(({ status }) => status === "running") ?? false;
	return (
		<BusyButton busy={isPending || running} onClick={() => mutate()}>
			{t("now.button")}
		</BusyButton>
	);
}
