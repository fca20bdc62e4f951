import type { BackupTarget } from "@api";
import { BusyButton, Dialog, Notice, sentence, serverText, useErrorText } from "@ui";
import { useTranslation } from "@ui/translation";
import { useTestTarget } from "./requests";

interface Props {
	target: BackupTarget;
	onClose: () => void;
}

/** TestDialog uploads a small file to a target and deletes it again, and says what came of it. */
export default function TestDialog({ target, onClose }: Props) {
	const { t } = useTranslation("backup");
	const { mutate, data, error, isPending } = useTestTarget();
	const text = useErrorText();
	return (
		<Dialog
			title={t("test.heading", { name: target.name })}
			description={t("test.text")}
			onClose={onClose}
			footer={
				<BusyButton busy={isPending} onClick={() => mutate(target.id)}>
					{t("test.button")}
				</BusyButton>
			}
		>
			<p className="gw-mono">{target.target_url}</p>
			{/* What came of an earlier test says nothing about this one. */}
			<div aria-live="polite">
				{!isPending && data && (
					<Notice kind={data.ok ? "success" : "danger"} title={t(data.ok ? "test.ok" : "test.failed")}>
						{data.error && <p>{sentence(serverText(data.error))}</p>}
						{data.host_key && <p className="gw-backup-wrap">{t("test.key", { key: data.host_key })}</p>}
					</Notice>
				)}
				{!isPending && error && <Notice kind="danger" title={text(error)} />}
			</div>
		</Dialog>
	);
}
