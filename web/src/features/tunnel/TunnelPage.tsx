import "./tunnel.css";
import { useCan } from "@api";
import { Button } from "@patternfly/react-core";
import { later, Page, ProblemNotice, UrlTabs, useUrlState } from "@ui";
import { useTranslation } from "@ui/translation";
import { Suspense, useState } from "react";
import { PeersTab } from "./PeersTab";
import { useAnyTunnel, useServers } from "./requests";
import { TunnelsTab } from "./TunnelsTab";

const AddDeviceDialog = later("tunnel device", () => import("./AddDeviceDialog"));

/** TunnelPage is the tunnels of this node and who is at their other ends. */
export default function TunnelPage() {
	const { t } = useTranslation("tunnel");
	const admin = useCan("admin");
	const servers = useServers();
	const first = useFirst();
	const [adding, setAdding] = useState(false);
	const tabs = [
		{ id: "peers", title: t("tab.peers"), content: <PeersTab /> },
		{ id: "tunnels", title: t("tab.tunnels"), content: <TunnelsTab /> },
	];
	const add = admin && servers.length > 0 && <Button onClick={() => setAdding(true)}>{t("device.add")}</Button>;
	return (
		<Page title={t("title")} description={t("lead")} actions={add}>
			<ProblemNotice service="tunnel" component="tunnel" />
			<UrlTabs label={t("title")} tabs={tabs} first={first} />
			{adding && (
				<Suspense fallback={null}>
					<AddDeviceDialog onClose={() => setAdding(false)} />
				</Suspense>
			)}
		</Page>
	);
}

/** useFirst is the tab to begin with: without a tunnel there can be no peer. It stays when the first one is created. */
function useFirst() {
	const any = useAnyTunnel();
	const [search] = useUrlState();
	const [first, setFirst] = useState<string>();
	// An address that asks for a form means that of the peers.
	if (!first && any !== undefined) setFirst(any || search.do ? "peers" : "tunnels");
	return first;
}
