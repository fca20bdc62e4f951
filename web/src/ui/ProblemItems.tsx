import { ExclamationCircleIcon, ExclamationTriangleIcon, InfoCircleIcon } from "@patternfly/react-icons";
import { useTranslation } from "react-i18next";
import type { Problem } from "./feature";
import { Link } from "./Link";
import { Time } from "./Time";

const icons = { danger: ExclamationCircleIcon, warning: ExclamationTriangleIcon, info: InfoCircleIcon };

/** ProblemItems lists problems: what is wrong, since when, what it affects, what to do. */
export function ProblemItems({ problems, onClick }: { problems: Problem[]; onClick?: () => void }) {
	return (
		<ul className="gw-problems">
			{problems.map((problem) => (
				<ProblemItem key={problem.id} problem={problem} onClick={onClick} />
			))}
		</ul>
	);
}

function ProblemItem({ problem, onClick }: { problem: Problem; onClick?: () => void }) {
	const { t } = useTranslation("ui");
	const Icon = icons[problem.severity];
	return (
		<li data-severity={problem.severity} data-problem={problem.id}>
			<Icon aria-hidden="true" />
			<div>
				{problem.to ? (
					<Link to={problem.to} onClick={onClick}>
						{problem.title}
					</Link>
				) : (
					<strong>{problem.title}</strong>
				)}
				{problem.detail && <p>{problem.detail}</p>}
				{problem.since && (
					<p className="gw-subtle">
						<Time value={problem.since} />
						{problem.affects ? ` · ${t("problem.affects", { count: problem.affects })}` : ""}
					</p>
				)}
			</div>
		</li>
	);
}
