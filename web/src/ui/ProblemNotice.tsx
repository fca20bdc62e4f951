import { type Problem, useProblems, useStates } from "@api";
import { Notice } from "./Notice";
import { problemKey, problemRemedy, problemTitle } from "./problemText";
import { useKindOf } from "./service";

interface Props {
	service: string;
	component: string;
}

/**
 * ProblemNotice says on a page what is wrong with the service and the component behind it, and what the service has its
 * state from: that may be a problem of something else, as of an interface.
 */
export function ProblemNotice(props: Props) {
	// Only a service with a kind of its own has a state that others cause.
	const kind = useKindOf(props.service);
	return kind === "service" ? <Notices {...props} /> : <Caused {...props} kind={kind} />;
}

function Caused({ kind, ...props }: Props & { kind: string }) {
	return <Notices {...props} cause={useStates(kind)(props.service)?.code} />;
}

function Notices({ service, component, cause }: Props & { cause?: string }) {
	const isOurs = ({ code, params, subject: { kind, id } }: Problem) =>
		code === cause ||
		(kind === "service" && id === service) ||
		(kind === "component" && id === component) ||
		(kind === "left_out" && params.component === component);
	return <ProblemsOf is={isOurs} />;
}

/** ProblemsOf says on a page what is wrong with what the page is about, and what to do. */
export function ProblemsOf({ is }: { is: (problem: Problem) => boolean }) {
	const { data } = useProblems();
	const ours = data?.problems.filter((problem) => problem.severity !== "info" && is(problem)) ?? [];
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
