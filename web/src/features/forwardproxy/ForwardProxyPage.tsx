import "./forwardproxy.css";
import { later, ServicePage } from "@ui";
import { AclsTab } from "./AclsTab";
import { ListsTab } from "./ListsTab";
import { StatsTab } from "./StatsTab";
import { StatusCard } from "./StatusCard";

// Most visits look; forms are heavy.
const SettingsTab = later("forward proxy settings", () => import("./SettingsTab"));

/** ForwardProxyPage is the proxy for clients: who may use it, what is denied, and what it did. */
export default function ForwardProxyPage() {
	return (
		<ServicePage
			id="forwardproxy"
			service="forward-proxy"
			status={<StatusCard />}
			tabs={{ acls: <AclsTab />, lists: <ListsTab />, stats: <StatsTab />, settings: <SettingsTab /> }}
		/>
	);
}
