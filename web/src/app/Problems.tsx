import { useConnection, useProblems } from "@api";
import { Button, Popover } from "@patternfly/react-core";
import {
	CheckCircleIcon,
	ExclamationCircleIcon,
	ExclamationTriangleIcon,
	InfoCircleIcon,
	QuestionCircleIcon,
} from "@patternfly/react-icons";
import type { Problem, Translate } from "@ui/feature";
import { useFeatures } from "@ui/features";
import { ProblemItems } from "@ui/ProblemItems";
import { ProblemsAsOf } from "@ui/ProblemsAsOf";
import { ProblemSource, useProblemList } from "@ui/problemStore";
import { useTranslation } from "@ui/translation";

const icons = { danger: ExclamationCircleIcon, warning: ExclamationTriangleIcon, info: InfoCircleIcon };

/** Problems is the one place that says what is wrong now, gathered from all features. */
export function Problems() {
	const { t } = useTranslation();
	const features = useFeatures();
	const { problems, count, pending, sure, asOf, unseen } = useProblemList();
	const worst = problems[0]?.severity;
	const none = sure ? "problems.none" : "problems.checking";
	const Icon = worst ? icons[worst] : sure ? CheckCircleIcon : QuestionCircleIcon;
	const title = worst ? t("problems.title") : t(none);
	const label = worst && !pending ? t("problems.count", { count }) : t(none);
	return (
		<>
			<ProblemSource id="app" useProblems={useLostConnection} />
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
						{problems.length === 0 && <p>{t(sure ? "problems.noneText" : "problems.checkingText")}</p>}
						<ProblemsAsOf at={asOf} unseen={unseen} />
						<ProblemItems problems={problems} onClick={hide} />
						{count > problems.length && <p>{t("problems.more", { count: count - problems.length })}</p>}
					</>
				)}
			>
				<Button
					variant="plain"
					className="gw-problems-button"
					data-severity={worst ?? (sure ? "none" : "unknown")}
					aria-label={label}
					icon={<Icon />}
				>
					{count > 0 && !pending && <span className="gw-count">{count}</span>}
				</Button>
			</Popover>
		</>
	);
}

/** useLostConnection: what only the browser can know. */
function useLostConnection(t: Translate): Problem[] {
	const connection = useConnection();
	const { data } = useProblems();
	// A server that answers without its database says so itself, and what it said last is still shown: one outage is one problem.
	const told = data?.problems.some(({ code }) => code === "system.database_down");
	if (connection === "online" || (connection === "database" && told)) return [];
	return [{ id: "connection", severity: "danger", title: t(`connection.${connection}`) }];
}
