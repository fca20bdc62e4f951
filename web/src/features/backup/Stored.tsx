import type { Backup, BackupUpload } from "@api";
import { type Status, StatusLabel, sentence, serverText } from "@ui";
import { useTranslation } from "@ui/translation";

type Upload = BackupUpload;

const looks: Record<Upload["state"], Status> = { pending: "info", done: "success", failed: "danger" };

interface Props {
	backup: Backup;
	current: boolean;
}

/** Stored is where an archive is: on this node, and what came of it at each target. */
export function Stored({ backup: { remote_uploads: uploads, portable, available }, current }: Props) {
	const { t } = useTranslation("backup");
	return (
		<div className="gw-backup-stored">
			<div>{t(available ? "stored.here" : "stored.away")}</div>
			{uploads.map(({ target_id: id, name, state, error }) => (
				<div key={id}>
					<StatusLabel status={current ? looks[state] : "neutral"}>{t(`stored.${state}`, { name })}</StatusLabel>
					{error && <p className="gw-subtle">{sentence(serverText(error))}</p>}
				</div>
			))}
			{!portable && <p className="gw-subtle">{t("stored.bound")}</p>}
		</div>
	);
}
