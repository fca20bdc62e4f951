import { ApiError, useCan } from "@api";
import { ConfirmDialog, restartText, serviceName, toast, useUrlState } from "@ui";
import { useTranslation } from "@ui/translation";
import { useRestart, useServices } from "./requests";

/** RestartDialog asks before a service restarts; it is open while the URL says ?do=restart&id=dns. */
export function RestartDialog() {
	const { t } = useTranslation("system");
	const admin = useCan("admin");
	const [search, set] = useUrlState();
	const { mutateAsync: restart } = useRestart();
	const { data } = useServices(5);
	const asked = search.do === "restart" ? search.id : undefined;
	const found = data?.services.find((one) => one.name === asked && one.restart);
	if (!admin || !found) return null;
	const service = found.name;
	const name = serviceName(service, found.description);
	const confirm = async () => {
		try {
			await restart(service);
			toast.success(t("restart.done", { name }));
		} catch (error) {
			// The reverse proxy may carry this very request, and takes it along; the node goes on with it.
			if (service !== "reverse-proxy" || !(error instanceof ApiError) || !error.away) throw error;
			toast.info(t("restart.cut", { name }));
		}
	};
	return (
		<ConfirmDialog
			title={t("restart.title", { name })}
			confirm={t("restart.button")}
			onConfirm={confirm}
			onClose={() => set({ do: undefined, id: undefined })}
		>
			{restartText(service)}
		</ConfirmDialog>
	);
}
