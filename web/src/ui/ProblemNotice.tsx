import { type Problem, useProblems, useStates } from "@api";
import { Notice } from "./Notice";
import { problemKey, problemRemedy, problemTitle } from "./problemText";
import { kindOf } from "./service";

/**
 * ProblemNotice says on a page what is wrong with the service and the component behind it, and what the service has its
 * state from: that may be a problem of something else, as of an interface.
 */
export function ProblemNotice({ service, component }: { service: string; component: string }) {
	const { data } = useProblems();
	const cause = useStates(kindOf(service))(service)?.code;
	const isOurs = ({ code, subject: { kind, id } }: Problem) =>
		code === cause || (kind === "service" && id === service) || (kind === "component" && id === component);
	const ours = data?.problems.filter((problem) => problem.severity !== "info" && isOurs(problem)) ?? [];
	return ours.map((problem) => (
		<Notice
			key={problemKey(problem)}
			kind={problem.severity === "warning" ? "warning" : "danger"}
			title={problemTitle(problem)}
		>
			{problemRemedy(problem)}
		</Notice>
	));
}
