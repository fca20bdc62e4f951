import { later, ServicePage } from "@ui";
import { ClientsTab } from "./ClientsTab";
import { SignInsTab } from "./SignInsTab";
import { StatusCard } from "./StatusCard";
import { UsersTab } from "./UsersTab";

// Most visits look; forms are heavy.
const SettingsTab = later("radius settings", () => import("./SettingsTab"));

/** RadiusPage is the RADIUS server: who may ask, who may sign in, and what came of it. */
export default function RadiusPage() {
	return (
		<ServicePage
			id="radius"
			status={<StatusCard />}
			tabs={{
				users: <UsersTab />,
				clients: <ClientsTab />,
				"sign-ins": <SignInsTab />,
				settings: <SettingsTab />,
			}}
		/>
	);
}
