import { useHealth } from "@api";
import { Skeleton } from "@patternfly/react-core";
import { ErrorState, Page } from "@ui";
import { useTranslation } from "react-i18next";
import { ActivityCard } from "./ActivityCard";
import "./dashboard.css";
import { Facts } from "./Facts";
import { Metrics } from "./Metrics";
import { useInterfaces, useResources } from "./requests";
import { ServicesCard } from "./ServicesCard";
import { Throughput } from "./Throughput";

/** DashboardPage is how the node is, right now and over the last minutes. */
export default function DashboardPage() {
	const { t } = useTranslation("dashboard");
	const { data: health } = useHealth();
	const resources = useResources();
	const interfaces = useInterfaces();
	return (
		<Page title={t("title")}>
			<div className="gw-dashboard">
				<Facts health={health} resources={resources.data?.last} />
				<Part query={resources}>{(history) => <Metrics history={history} />}</Part>
				<Part query={interfaces}>{(history) => <Throughput history={history} />}</Part>
				<div className="gw-pair">
					<ServicesCard />
					<ActivityCard />
				</div>
			</div>
		</Page>
	);
}

interface PartProps<T> {
	query: { data: T | undefined; error: unknown; refetch: () => unknown };
	children: (data: T) => React.ReactNode;
}

/** Part shows what was loaded; what is known already stays when a later look fails. */
function Part<T>({ query, children }: PartProps<T>) {
	const { t } = useTranslation("dashboard");
	if (query.data) return children(query.data);
	if (query.error) return <ErrorState error={query.error} retry={() => void query.refetch()} />;
	return <Skeleton height="14rem" screenreaderText={t("loading")} />;
}
