import { type Problem, type SystemService, useCurrent, useProblems } from "@api";
import { useTranslation } from "react-i18next";
import { problemTitle } from "./problemText";
import { StatusLabel } from "./StatusLabel";
import { lookOf, stateOf } from "./service";
import { UnknownState } from "./UnknownState";

/** problemOf is what is wrong with a service. */
const problemOf = (problems: Problem[] | undefined, { name }: SystemService) =>
	problems?.find(({ subject }) => subject.kind === "service" && subject.id === name);

/** useServiceProblem says in a sentence what is wrong with a service. */
export function useServiceProblem(service: SystemService): string | undefined {
	const problem = problemOf(useProblems().data?.problems, service);
	return problem && problemTitle(problem);
}

/**
 * ServiceState is how a service is, in one word and a colour. One that runs and does not do its job is not green, nor is one
 * that is started again and again "starting". current says that the service was looked at just now.
 */
export function ServiceState({ service, current }: { service: SystemService; current: boolean }) {
	const { t } = useTranslation("ui");
	const known = useCurrent(useProblems());
	if (!current) return <UnknownState />;
	const state = stateOf(service);
	const look = lookOf(service);
	const problem = problemOf(known?.problems, service);
	// That it runs is known, that it does its job is not, while nobody can say what is wrong with it.
	const silent = !known || known.unknown.some(({ component }) => component === service.component);
	if (look === "success" && !problem && silent) return <UnknownState />;
	if (!problem || (look !== "success" && look !== "info"))
		return <StatusLabel status={look}>{t(`state.${state}`)}</StatusLabel>;
	const bad = problem.severity === "error" || problem.severity === "critical";
	return (
		<span title={problemTitle(problem)}>
			<StatusLabel status={bad ? "danger" : "warning"}>
				{t(bad ? "objectState.failed" : "objectState.degraded")}
			</StatusLabel>
		</span>
	);
}
