import { type Problem, useProblems } from "@api";
import { Notice } from "./Notice";
import { problemKey, problemRemedy, problemTitle } from "./problemText";

/** ProblemNotice says on a page what is wrong with the service and the component behind it. */
export function ProblemNotice({ service, component }: { service: string; component: string }) {
	const { data } = useProblems();
	const isOurs = ({ subject: { kind, id } }: Problem) =>
		(kind === "service" && id === service) || (kind === "component" && id === component);
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
