import type { RestoreState } from "@api";
import "./backup.css";
import { Command, ErrorState, Link, Notice, Page, sentence, serverText, Waiting } from "@ui";
import { useTranslation } from "@ui/translation";
import { Confirmation } from "./Confirmation";
import { useRestore } from "./requests";
import { StepList } from "./StepList";
import { type Sight, stageOf } from "./sight";
import { useSight } from "./useSight";

/** ProgressPage follows a restore, also while the API is away, and ends with the question whether it stays. */
export default function ProgressPage() {
	const { t } = useTranslation("backup");
	const { kind, last, until } = useSight();
	const { error, refetch } = useRestore();
	const known = kind === "known";
	return (
		<Page title={t("restore.title")} breadcrumbs={[{ title: t("title"), to: "/backups" }]}>
			<div className="gw-panel gw-backup-restore">
				{known && last && stageOf(last) === "waiting" && <Confirmation until={until} />}
				<div role="status">{known && last ? <Stage restore={last} /> : <Unsure kind={kind} last={last} />}</div>
				{kind === "asking" && <Waiting height="16rem" />}
				{kind === "refused" && <ErrorState error={error} retry={() => void refetch()} />}
				{last && last.steps.length > 0 && <StepList steps={last.steps} known={known} />}
			</div>
		</Page>
	);
}

const looks = {
	none: "info",
	running: "info",
	waiting: "warning",
	confirmed: "success",
	undone: "warning",
	failed: "danger",
} as const;

/** Stage is how far it is as a whole, and what came of it. */
function Stage({ restore }: { restore: RestoreState }) {
	const { t } = useTranslation("backup");
	const stage = stageOf(restore);
	const over = stage !== "running" && stage !== "waiting";
	return (
		<Notice kind={looks[stage]} title={t(`stage.${stage}`)}>
			{restore.error && <p>{sentence(serverText(restore.error))}</p>}
			<p>{t(`stage.${stage}Text`)}</p>
			{over && <Link to="/backups">{t("restore.back")}</Link>}
		</Notice>
	);
}

/** Unsure says that nobody told how it stands, and what to do when that lasts. */
function Unsure({ kind, last }: Sight) {
	const { t } = useTranslation("backup");
	if (kind === "asking" || kind === "refused" || kind === "known") return null;
	const silent = kind === "silent";
	const waits = last && stageOf(last) === "waiting";
	return (
		<Notice kind={silent ? "warning" : "info"} title={t(`unsure.${kind}`)}>
			<p>{t(waits && kind === "away" ? "unsure.waitsText" : `unsure.${kind}Text`)}</p>
			{silent && <Command>gateway-ctl restore status</Command>}
		</Notice>
	);
}
