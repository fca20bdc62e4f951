import "./ntp.css";
import { later, ServicePage } from "@ui";
import { SourcesTab } from "./SourcesTab";

// Most visits look; forms are heavy.
const SettingsTab = later("ntp settings", () => import("./SettingsTab"));

/** NtpPage is the clock: where its time comes from, and whom it is told. */
export default function NtpPage() {
	return (
		<ServicePage
			id="ntp"
			tabs={{
				sources: <SourcesTab />,
				settings: <SettingsTab />,
			}}
		/>
	);
}
