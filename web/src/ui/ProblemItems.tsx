import { ExclamationCircleIcon, ExclamationTriangleIcon, InfoCircleIcon } from "@patternfly/react-icons";
import { Fragment } from "react";
import type { Problem } from "./feature";
import { Link } from "./Link";
import { Time } from "./Time";
import { useTranslation } from "./translation";

const icons = { danger: ExclamationCircleIcon, warning: ExclamationTriangleIcon, info: InfoCircleIcon };

/** alike is how many problems of one kind are shown before the rest is folded. */
const alike = 3;

/** kindsOf groups problems of one kind, in the order of the first of each: thirty alike must not hide the others. */
export function kindsOf(problems: Problem[]): Problem[][] {
	const kinds = new Map<string, Problem[]>();
	for (const problem of problems) {
		const kind = `${problem.severity} ${problem.id.split(" ")[0]}`;
		kinds.set(kind, [...(kinds.get(kind) ?? []), problem]);
	}
	return [...kinds.values()];
}

interface Props {
	problems: Problem[];
	onClick?: () => void;
}

/** ProblemItems lists problems: what is wrong, since when, what it affects, what to do. */
export function ProblemItems({ problems, onClick }: Props) {
	const { t } = useTranslation("ui");
	return (
		<ul className="gw-problems">
			{kindsOf(problems).map((kind) => (
				<Fragment key={kind[0]?.id}>
					{kind.slice(0, alike).map((problem) => (
						<ProblemItem key={problem.id} problem={problem} onClick={onClick} />
					))}
					{kind.length > alike && (
						<li className="gw-problems-rest">
							<details>
								<summary>{t("problem.alike", { count: kind.length - alike })}</summary>
								<ul className="gw-problems">
									{kind.slice(alike).map((problem) => (
										<ProblemItem key={problem.id} problem={problem} onClick={onClick} />
									))}
								</ul>
							</details>
						</li>
					)}
				</Fragment>
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
