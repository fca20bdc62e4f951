import "./dns.css";
import { later, ServicePage } from "@ui";
import { RecordsTab } from "./RecordsTab";
import { StatusTab } from "./StatusTab";
import { ZonesTab } from "./ZonesTab";

// Most visits look; forms are heavy.
const SettingsTab = later("dns settings", () => import("./SettingsTab"));

/** DnsPage is the resolver: its own names, how it works, and what it did. */
export default function DnsPage() {
	return (
		<ServicePage
			id="dns"
			tabs={{
				records: <RecordsTab />,
				zones: <ZonesTab />,
				settings: <SettingsTab />,
				status: <StatusTab />,
			}}
		/>
	);
}
