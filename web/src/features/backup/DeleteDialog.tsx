import type { Backup } from "@api";
import { ConfirmDialog, formatExact, toast, useUrlState } from "@ui";
import { useTranslation } from "@ui/translation";
import { useDelete } from "./requests";

/** DeleteDialog asks before a backup is deleted; it is open while the URL says ?do=delete&id=…. */
export function DeleteDialog({ backups }: { backups: Backup[] }) {
	const { t } = useTranslation("backup");
	const [search, set] = useUrlState();
	const { mutateAsync } = useDelete();
	const found = search.do === "delete" ? backups.find(({ id }) => id === search.id) : undefined;
	if (!found) return null;
	const when = formatExact(new Date(found.started_at));
	const remove = async () => {
		await mutateAsync(found.id);
		toast.success(t("delete.done", { when }));
	};
	return (
		<ConfirmDialog
			title={t("delete.open")}
			confirm={t("delete.button")}
			danger
			onConfirm={remove}
			onClose={() => set({ do: undefined, id: undefined })}
		>
			{t("delete.text", { when })}
		</ConfirmDialog>
	);
}
