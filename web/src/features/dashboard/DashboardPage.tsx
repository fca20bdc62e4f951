import { useCan, useHealth } from "@api";
import { Loaded, Notice, Page } from "@ui";
import { useLinkHistory } from "@ui/links";
import { useTranslation } from "@ui/translation";
import { ActivityCard } from "./ActivityCard";
import "./dashboard.css";
import { Facts } from "./Facts";
import { FirstSteps } from "./FirstSteps";
import { Metrics } from "./Metrics";
import { ProblemsCard } from "./ProblemsCard";
import { useResources } from "./requests";
import { ServicesCard } from "./ServicesCard";
import { Throughput } from "./Throughput";
import { useParts } from "./useParts";

/** DashboardPage is how the node is, right now and over the last minutes. */
export default function DashboardPage() {
	const { t } = useTranslation("dashboard");
	const { data: health } = useHealth();
	const resources = useResources();
	const interfaces = useLinkHistory();
	const { cards, steps, missing } = useParts();
	const admin = useCan("admin");
	return (
		<Page title={t("title")}>
			<div className="gw-dashboard">
				<ProblemsCard />
				<Facts health={health} resources={resources.data?.last} />
				{admin && <FirstSteps steps={steps} />}
				{missing.length > 0 && (
					<Notice kind="warning" title={t("missing", { names: missing.map((id) => t(`${id}:title`)).join(", ") })} />
				)}
				<div className="gw-pair">
					{cards.map(({ feature, order, card: Card }) => (
						<Card key={`${feature} ${order}`} />
					))}
				</div>
				<Loaded query={interfaces} height="14rem">
					{(history) => <Throughput history={history} />}
				</Loaded>
				<Loaded query={resources} height="14rem">
					{(history) => <Metrics history={history} />}
				</Loaded>
				<div className="gw-pair">
					<ServicesCard />
					<ActivityCard />
				</div>
			</div>
		</Page>
	);
}
