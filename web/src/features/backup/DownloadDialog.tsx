import type { Backup } from "@api";
import { zBackupPasswordInput } from "@api/schemas";
import { type Field, FormDialog, formatExact, useUrlState } from "@ui";
import { useTranslation } from "react-i18next";
import { download } from "./download";
import { useTicket } from "./requests";

const fields: Field[] = [
	{ name: "password", kind: "password", autoComplete: "current-password", required: true, focus: true },
];

/** DownloadDialog asks for the password before an archive leaves; it is open while the URL says ?do=download&id=…. */
export function DownloadDialog({ backups }: { backups: Backup[] }) {
	const [search, set] = useUrlState();
	const found = search.do === "download" ? backups.find(({ id }) => id === search.id) : undefined;
	return found ? <Asking backup={found} onClose={() => set({ do: undefined, id: undefined })} /> : null;
}

function Asking({ backup, onClose }: { backup: Backup; onClose: () => void }) {
	const { t } = useTranslation("backup");
	const { mutateAsync } = useTicket(backup.id, t("password.wrong"));
	const done = (ticket: string) => {
		download(backup, ticket);
		onClose();
	};
	return (
		<FormDialog
			title={t("download.title")}
			description={t("download.text", { when: formatExact(new Date(backup.started_at)) })}
			schema={zBackupPasswordInput}
			ns="backup"
			fields={fields}
			submit={mutateAsync}
			onDone={done}
			submitLabel={t("download.button")}
			onClose={onClose}
			guard={false}
		/>
	);
}
