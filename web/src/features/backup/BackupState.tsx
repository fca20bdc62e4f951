import type { Backup, BackupProgress } from "@api";
import { formatPercent, StatusLabel, sentence, serverText, UnknownState } from "@ui";
import { useTranslation } from "@ui/translation";
import { looks, shareOf, stateOf } from "./look";

/** BackupState is how a backup went, or how far it is. */
export function BackupState({ backup, current }: { backup: Backup; current: boolean }) {
	const { t } = useTranslation("backup");
	const state = stateOf(backup);
	if (state === "running" && !current) return <UnknownState />;
	return (
		<>
			<StatusLabel status={current ? looks[state] : "neutral"}>{t(`state.${state}`)}</StatusLabel>
			{current && backup.progress && <Progress progress={backup.progress} />}
			{backup.error && <p className="gw-subtle">{sentence(serverText(backup.error))}</p>}
		</>
	);
}

function Progress({ progress }: { progress: BackupProgress }) {
	const { t } = useTranslation("backup");
	const share = shareOf(progress);
	const step = t(`step.${progress.step}`);
	return (
		<div className="gw-backup-progress">
			<span className="gw-subtle">
				{step} {share !== undefined && formatPercent(share)}
			</span>
			<progress aria-label={step} value={share} max={1} />
		</div>
	);
}
