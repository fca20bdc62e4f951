import { useCan } from "@api";
import { toast, useErrorText } from "@ui";
import { ConfirmBar } from "@ui/ConfirmBar";
import { useTranslation } from "@ui/translation";
import { useConfirm, useUndo } from "./requests";

/** Confirmation asks whether the restored state stays; without an answer the gateway goes back by itself. */
export function Confirmation({ until }: { until: number }) {
	const { t } = useTranslation("backup");
	const admin = useCan("admin");
	const text = useErrorText();
	const keep = useConfirm();
	const back = useUndo();
	const fails = (words: string) => ({
		onError: (error: unknown) => toast.danger(words, { detail: text(error) }),
	});
	const ways = {
		keep: {
			label: t("confirm.keep"),
			busy: keep.isPending,
			go: () =>
				keep.mutate(undefined, { ...fails(t("confirm.notKept")), onSuccess: () => toast.success(t("confirm.kept")) }),
		},
		back: {
			label: t("confirm.back"),
			busy: back.isPending,
			go: () =>
				back.mutate(undefined, { ...fails(t("confirm.notBack")), onSuccess: () => toast.info(t("confirm.goesBack")) }),
		},
	};
	return (
		<ConfirmBar
			title={t("confirm.ask")}
			over={t("confirm.over")}
			until={until}
			what={t("confirm.what")}
			ways={admin ? ways : undefined}
		/>
	);
}
