import { Button, Popover } from "@patternfly/react-core";
import {
	CheckCircleIcon,
	ExclamationCircleIcon,
	ExclamationTriangleIcon,
	InfoCircleIcon,
} from "@patternfly/react-icons";
import type { Problem } from "@ui/feature";
import { Link } from "@ui/Link";
import { useTranslation } from "react-i18next";
import { useFeatures } from "./FeaturesContext";
import { ProblemSource, useProblemList } from "./problemStore";

const icons = { danger: ExclamationCircleIcon, warning: ExclamationTriangleIcon, info: InfoCircleIcon };

/** Problems is the one place that says what is wrong now, gathered from all features. */
export function Problems() {
	const { t } = useTranslation();
	const features = useFeatures();
	const problems = useProblemList();
	const worst = problems[0]?.severity;
	const Icon = worst ? icons[worst] : CheckCircleIcon;
	const title = worst ? t("problems.title") : t("problems.none");
	const label = worst ? t("problems.count", { count: problems.length }) : t("problems.none");
	return (
		<>
			{features.map(
				(feature) =>
					feature.useProblems && <ProblemSource key={feature.id} id={feature.id} useProblems={feature.useProblems} />,
			)}
			<Popover
				position="bottom-end"
				className="gw-problems-box"
				aria-label={title}
				closeBtnAriaLabel={t("ui:close")}
				bodyContent={(hide) => (
					<>
						<h2>{title}</h2>
						{problems.length === 0 && <p>{t("problems.noneText")}</p>}
						<ul className="gw-problems">
							{problems.map((problem) => (
								<ProblemItem key={problem.id} problem={problem} onClick={hide} />
							))}
						</ul>
					</>
				)}
			>
				<Button
					variant="plain"
					className="gw-problems-button"
					data-severity={worst ?? "none"}
					aria-label={label}
					icon={<Icon />}
				>
					{problems.length > 0 && <span className="gw-count">{problems.length}</span>}
				</Button>
			</Popover>
		</>
	);
}

function ProblemItem({ problem, onClick }: { problem: Problem; onClick: () => void }) {
	const Icon = icons[problem.severity];
	return (
		<li data-severity={problem.severity}>
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
			</div>
		</li>
	);
}
