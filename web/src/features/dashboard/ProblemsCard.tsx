import { Card, CardBody, CardHeader, CardTitle } from "@patternfly/react-core";
import { CheckCircleIcon } from "@patternfly/react-icons";
import { ProblemItems, ProblemsAsOf, useProblemList } from "@ui";
import { useTranslation } from "@ui/translation";

/** ProblemsCard is the same list that the indicator has, where one looks first. */
export function ProblemsCard() {
	const { t } = useTranslation("dashboard");
	const { problems, count, sure, asOf, unseen } = useProblemList();
	return (
		<Card isCompact>
			<CardHeader className="gw-card-head">
				<CardTitle component="h2">{t("problemList.title")}</CardTitle>
				{count > 0 && <span className="gw-subtle">{count}</span>}
			</CardHeader>
			<CardBody>
				{count === 0 && sure && (
					<p className="gw-no-problems">
						<CheckCircleIcon aria-hidden="true" /> {t("problemList.none")}
					</p>
				)}
				{count === 0 && !sure && <p className="gw-subtle">{t("problemList.checking")}</p>}
				<ProblemsAsOf at={asOf} unseen={unseen} />
				<ProblemItems problems={problems} />
				{count > problems.length && (
					<p className="gw-subtle">{t("problemList.more", { count: count - problems.length })}</p>
				)}
			</CardBody>
		</Card>
	);
}
