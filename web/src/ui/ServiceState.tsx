import { type Problem, type SystemService, useCurrent, useProblems } from "@api";
import { ObjectState } from "./ObjectState";
import { problemTitle } from "./problemText";
import { StatusLabel } from "./StatusLabel";
import { lookOf, stateOf, useServiceState } from "./service";
import { useTranslation } from "./translation";
import { UnknownState } from "./UnknownState";

/** problemOf is what is wrong with a service. */
const problemOf = (problems: Problem[] | undefined, { name }: SystemService) =>
	problems?.find(({ subject }) => subject.kind === "service" && subject.id === name);

/** useServiceProblem says in a sentence what is wrong with a service, or with what keeps it from doing its job. */
export function useServiceProblem(service: SystemService): string | undefined {
	const problem = problemOf(useProblems().data?.problems, service);
	const state = useServiceState(service.name);
	if (problem) return problemTitle(problem);
	return state?.code ? problemTitle(state) : undefined;
}

/**
 * ServiceState is how a service is, in one word and a colour. One that runs and does not do its job is not green, nor is one
 * that is started again and again "starting". current says that the service was looked at just now.
 */
export function ServiceState({ service, current }: { service: SystemService; current: boolean }) {
	const { t } = useTranslation("ui");
	const known = useCurrent(useProblems());
	const told = useServiceState(service.name);
	if (!current) return <UnknownState />;
	const look = lookOf(service);
	const word = <StatusLabel status={look}>{t(`state.${stateOf(service)}`)}</StatusLabel>;
	if (look !== "success" && look !== "info") return word;
	if (told && told.state !== "unknown") return <ObjectState state={told} normal="running" />;
	const problem = problemOf(known?.problems, service);
	if (problem) return <Untold problem={problem} />;
	// That it runs is known, that it does its job is not, while nobody can say what is wrong with it.
	const silent = told || !known || known.unknown.some(({ component }) => component === service.component);
	return look === "success" && silent ? <UnknownState /> : word;
}

/** Untold is the state of a service of which the server tells a problem and no state. */
function Untold({ problem }: { problem: Problem }) {
	const bad = problem.severity === "error" || problem.severity === "critical";
	const { code, params, message } = problem;
	return <ObjectState state={{ state: bad ? "failed" : "degraded", code, params, message }} normal="running" />;
}
