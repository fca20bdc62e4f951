import "./dhcp.css";
import { later, ServicePage } from "@ui";
import { LeasesTab } from "./LeasesTab";
import { ReservationsTab } from "./ReservationsTab";
import { StatusCard } from "./StatusCard";
import { SubnetsTab } from "./SubnetsTab";

// Most visits look; forms are heavy.
const SettingsTab = later("dhcp settings", () => import("./SettingsTab"));

/** DhcpPage is who is given which address. */
export default function DhcpPage() {
	return (
		<ServicePage
			id="dhcp"
			status={<StatusCard />}
			tabs={{
				leases: <LeasesTab />,
				subnets: <SubnetsTab />,
				reservations: <ReservationsTab />,
				settings: <SettingsTab />,
			}}
		/>
	);
}
