import { Button } from "@patternfly/react-core";
import { CheckCircleIcon, OutlinedCircleIcon } from "@patternfly/react-icons";
import { useQueries } from "@tanstack/react-query";
import { Link } from "@ui";
import { DashCard } from "@ui/DashCard";
import { useTranslation } from "@ui/translation";
import { useState } from "react";
import type { Step } from "./useParts";

/** A node has its own address, so what a browser remembers is of this node. */
const hidden = "gateway.firstSteps.hidden";

/** What is not done is asked for again so often, in ms: somebody may do it in another window. */
const lookAgain = 15_000;

/** FirstSteps is what a new node still needs. It goes when all is done, or when somebody does not want it. */
export function FirstSteps({ steps }: { steps: Step[] }) {
	const { t } = useTranslation("dashboard");
	const [away, setAway] = useState(() => localStorage.getItem(hidden) !== null);
	const asked = useQueries({
		queries: steps.map((step) => ({
			queryKey: ["dashboard", "step", step.feature, step.id],
			queryFn: ({ signal }: { signal: AbortSignal }) => step.done(signal),
			enabled: !away,
			// Whoever comes back from doing a step sees it ticked.
			staleTime: 0,
			refetchInterval: ({ state }: { state: { data?: boolean } }) => !state.data && lookAgain,
		})),
	});
	// What is not known is not offered as undone: the card comes when every step has answered.
	if (away || steps.length === 0 || asked.some(({ data }) => data === undefined)) return null;
	const done = asked.filter(({ data }) => data).length;
	if (done === steps.length) return null;
	const hide = () => {
		localStorage.setItem(hidden, "1");
		setAway(true);
	};
	return (
		<DashCard title={t("first.title")} hint={t("first.count", { done, all: steps.length })}>
			<ol className="gw-rows gw-first">
				{steps.map((step, i) => (
					<StepRow key={`${step.feature} ${step.id}`} step={step} done={asked[i]?.data === true} />
				))}
			</ol>
			<Button variant="link" isInline onClick={hide}>
				{t("first.hide")}
			</Button>
		</DashCard>
	);
}

function StepRow({ step, done }: { step: Step; done: boolean }) {
	const { t } = useTranslation("dashboard");
	const { t: own } = useTranslation(step.feature);
	const Icon = done ? CheckCircleIcon : OutlinedCircleIcon;
	return (
		<li data-done={done}>
			<Icon title={t(done ? "first.done" : "first.open")} />
			<div className="gw-entry">
				{done ? <span>{own(step.titleKey)}</span> : <Link to={step.to}>{own(step.titleKey)}</Link>}
				{!done && <p className="gw-subtle">{own(step.textKey)}</p>}
			</div>
		</li>
	);
}
