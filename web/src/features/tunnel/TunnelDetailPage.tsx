import "./tunnel.css";
import { type TunnelInterface, useStates } from "@api";
import { useParams } from "@tanstack/react-router";
import { Loaded, later, ObjectState, Page, UrlTabs, Waiting } from "@ui";
import { useTranslation } from "@ui/translation";
import { Suspense } from "react";
import { OverviewTab } from "./OverviewTab";
import { PeersTab } from "./PeersTab";
import { useTunnel } from "./requests";

const TunnelSettings = later("tunnel settings", () => import("./TunnelSettings"));

/** TunnelDetailPage is one tunnel: what it does now, who is at its other ends, and how it is configured. */
export default function TunnelDetailPage() {
	const { t } = useTranslation("tunnel");
	const { id = "" } = useParams({ strict: false }) as { id?: string };
	const query = useTunnel(id);
	const crumbs = [
		{ title: t("title"), to: "/tunnels" },
		{ title: t("tab.tunnels"), to: "/tunnels?tab=tunnels" },
	];
	return (
		<Page title={query.data?.name ?? t("interface.detail")} breadcrumbs={crumbs}>
			<Loaded query={query} height="24rem">
				{(tunnel) => <Tunnel tunnel={tunnel} />}
			</Loaded>
		</Page>
	);
}

function Tunnel({ tunnel }: { tunnel: TunnelInterface }) {
	const { t } = useTranslation("tunnel");
	const stateOf = useStates("tunnel");
	const tabs = [
		{ id: "overview", title: t("tab.overview"), content: <OverviewTab tunnel={tunnel} /> },
		{ id: "peers", title: t("tab.peers"), content: <PeersTab tunnel={tunnel.id} /> },
		{
			id: "settings",
			title: t("tab.settings"),
			content: (
				<Suspense fallback={<Waiting height="24rem" />}>
					<TunnelSettings key={tunnel.id} id={tunnel.id} />
				</Suspense>
			),
		},
	];
	return (
		<>
			<div className="gw-object-head">
				<ObjectState state={stateOf(tunnel.id)} normal="link_up" why />
				<span>{t(`interface.option.mode.${tunnel.mode}`)}</span>
			</div>
			<UrlTabs label={tunnel.name} tabs={tabs} />
		</>
	);
}
