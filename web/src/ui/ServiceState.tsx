import { type Problem, type SystemService, useProblems } from "@api";
import { useTranslation } from "react-i18next";
import { problemTitle } from "./problemText";
import { StatusLabel } from "./StatusLabel";
import { componentOf, lookOf, stateOf } from "./service";

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
 * that is started again and again "starting".
 */
export function ServiceState({ service }: { service: SystemService }) {
	const { t } = useTranslation("ui");
	const { data, isError } = useProblems();
	const state = stateOf(service);
	const look = lookOf(service);
	const problem = problemOf(data?.problems, service);
	// That it runs is known, that it does its job is not, while nobody can say what is wrong with it.
	const silent = isError || data?.unknown.some(({ component }) => component === componentOf(service.name));
	if (look === "success" && !problem && silent)
		return <StatusLabel status="neutral">{t("objectState.unknown")}</StatusLabel>;
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
