import type { Backup } from "@api";
import { formatExact, useUrlState } from "@ui";
import { OwnPasswordDialog } from "@ui/OwnPasswordDialog";
import { useTranslation } from "@ui/translation";
import { download } from "./download";
import { useTicket } from "./requests";

/** DownloadDialog asks for the password before an archive leaves; it is open while the URL says ?do=download&id=…. */
export function DownloadDialog({ backups }: { backups: Backup[] }) {
	const [search, set] = useUrlState();
	const found = search.do === "download" ? backups.find(({ id }) => id === search.id) : undefined;
	return found ? <Asking backup={found} onClose={() => set({ do: undefined, id: undefined })} /> : null;
}

function Asking({ backup, onClose }: { backup: Backup; onClose: () => void }) {
	const { t } = useTranslation("backup");
	const { mutateAsync } = useTicket(backup.id);
	const done = (ticket: string) => {
		download(backup, ticket);
		onClose();
	};
	return (
		<OwnPasswordDialog
			title={t("download.title")}
			description={t("download.text", { when: formatExact(new Date(backup.started_at)) })}
			button={t("download.button")}
			submit={mutateAsync}
			onDone={done}
			onClose={onClose}
		/>
	);
}
