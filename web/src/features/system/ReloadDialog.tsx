import { useCan } from "@api";
import { ConfirmDialog, toast, useUrlState } from "@ui";
import { useTranslation } from "@ui/translation";
import { useProxyReload } from "./requests";

/** ReloadDialog says what a reload of the reverse proxy does before it happens; it is open while the URL says ?do=reload. */
export function ReloadDialog() {
	const { t } = useTranslation("system");
	const admin = useCan("admin");
	const [search, set] = useUrlState();
	const { mutateAsync: reload } = useProxyReload();
	if (!admin || search.do !== "reload") return null;
	const confirm = async () => {
		await reload();
		toast.success(t("reload.done"));
	};
	return (
		<ConfirmDialog
			title={t("reload.title")}
			confirm={t("reload.button")}
			onConfirm={confirm}
			onClose={() => set({ do: undefined })}
		>
			{t("reload.text")}
		</ConfirmDialog>
	);
}
