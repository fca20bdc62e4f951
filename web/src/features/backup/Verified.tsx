import type { Backup } from "@api";
import { StatusLabel, sentence, serverText, Time, UnknownState } from "@ui";
import { useTranslation } from "@ui/translation";

/** Verified says whether the archive was read again and came out whole. What was not tried is not green. */
export function Verified({ backup, current }: { backup: Backup; current: boolean }) {
	const { t } = useTranslation("backup");
	const { verify_status: status, verified_at: at, verify_error: error } = backup;
	if (status === "running")
		return current ? <StatusLabel status="info">{t("verify.running")}</StatusLabel> : <UnknownState />;
	if (status === "failed")
		return (
			<>
				<StatusLabel status="danger">{t("verify.failed")}</StatusLabel>
				{error && <p className="gw-subtle">{sentence(serverText(error))}</p>}
			</>
		);
	if (status !== "done" || !at) return <StatusLabel status="neutral">{t("verify.none")}</StatusLabel>;
	return (
		<>
			<StatusLabel status={current ? "success" : "neutral"}>{t("verify.done")}</StatusLabel>
			<p className="gw-subtle">
				<Time value={at} />
			</p>
		</>
	);
}
