import type { RestoreStep } from "@api";
import { Spinner } from "@patternfly/react-core";
import { CheckCircleIcon, ExclamationCircleIcon, HourglassHalfIcon, QuestionCircleIcon } from "@patternfly/react-icons";
import { formatDuration } from "@ui";
import { useTranslation } from "@ui/translation";

type Step = RestoreStep;

/** StepList is the steps of a restore. What ran when it was last told is not shown as running while nobody tells. */
export function StepList({ steps, known }: { steps: Step[]; known: boolean }) {
	const { t } = useTranslation("backup");
	return (
		<ol className="gw-backup-steps" aria-label={t("restore.steps")}>
			{steps.map((step) => (
				<Item key={step.code} step={step} known={known} />
			))}
		</ol>
	);
}

function Item({ step, known }: { step: Step; known: boolean }) {
	const { t } = useTranslation("backup");
	const state = step.state === "running" && !known ? "unknown" : step.state;
	const took = tookOf(step);
	return (
		<li data-state={state} aria-current={state === "running" ? "step" : undefined}>
			<Sign state={state} waits={step.code === "confirm"} />
			<span>{t(`job.${step.code}`)}</span>
			<span className="gw-subtle">{took === undefined ? t(`job.is.${state}`) : formatDuration(took)}</span>
		</li>
	);
}

interface SignProps {
	state: Step["state"] | "unknown";
	/** It is not the gateway that works at it, but somebody who is to answer. */
	waits: boolean;
}

function Sign({ state, waits }: SignProps) {
	if (state === "running")
		return waits ? <HourglassHalfIcon aria-hidden="true" /> : <Spinner size="md" aria-hidden="true" />;
	if (state === "done") return <CheckCircleIcon aria-hidden="true" />;
	if (state === "failed") return <ExclamationCircleIcon aria-hidden="true" />;
	return state === "unknown" ? <QuestionCircleIcon aria-hidden="true" /> : <span className="gw-backup-dot" />;
}

/** tookOf is how many seconds a finished step took; those of under a second are told as one. */
function tookOf({ state, started_at: from, finished_at: to }: Step): number | undefined {
	if (state !== "done" || !from || !to) return undefined;
	return Math.max(1, Math.round((Date.parse(to) - Date.parse(from)) / 1_000));
}
