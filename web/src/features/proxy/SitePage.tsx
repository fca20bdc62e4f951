import "./proxy.css";
import { type ProxyDomain, useStates } from "@api";
import { ExternalLinkAltIcon } from "@patternfly/react-icons";
import { useParams } from "@tanstack/react-router";
import { Loaded, later, ObjectState, Page, UrlTabs, Waiting } from "@ui";
import { useTranslation } from "@ui/translation";
import { Suspense } from "react";
import { CoverLabel } from "./CoverLabel";
import { HeadersTab } from "./HeadersTab";
import { PoolLink } from "./PoolLink";
import { RulesTab } from "./RulesTab";
import { useCover, useSite } from "./requests";
import { SecurityTab } from "./SecurityTab";
import { SiteTraffic } from "./SiteTraffic";

// Most visits look; forms are heavy.
const BasicsTab = later("site basics", () => import("./BasicsTab"));

/** SitePage is one site: where it leads, who may use it, and what its answers carry. */
export default function SitePage() {
	const { t } = useTranslation("proxy");
	const { id } = useParams({ strict: false }) as { id: string };
	const query = useSite(id);
	const name = query.data?.name;
	const crumbs = [{ title: t("title"), to: "/proxy" }];
	return (
		<Page title={name ?? t("site.detail")} breadcrumbs={crumbs} actions={name && <Visit name={name} />}>
			<Loaded query={query} height="24rem">
				{(site) => <Site site={site} />}
			</Loaded>
		</Page>
	);
}

/** Visit leads to the site itself; there is no one address for all names of a wildcard. */
function Visit({ name }: { name: string }) {
	const { t } = useTranslation("proxy");
	if (name.startsWith("*")) return null;
	return (
		<a className="gw-proxy-visit" href={`https://${name}/`} target="_blank" rel="noopener noreferrer">
			{t("site.visit")} <ExternalLinkAltIcon aria-hidden="true" />
		</a>
	);
}

function Site({ site }: { site: ProxyDomain }) {
	const { t } = useTranslation("proxy");
	const stateOf = useStates("domain");
	const waiting = <Waiting height="24rem" />;
	const tabs = [
		{
			id: "basics",
			title: t("tab.basics"),
			content: (
				<Suspense fallback={waiting}>
					<BasicsTab id={site.id} />
				</Suspense>
			),
		},
		{
			id: "security",
			title: t("tab.security"),
			content: <SecurityTab id={site.id} />,
		},
		{ id: "headers", title: t("tab.headers"), content: <HeadersTab site={site.id} /> },
		{ id: "rules", title: t("tab.rules"), content: <RulesTab site={site} /> },
		{ id: "traffic", title: t("tab.traffic"), content: <SiteTraffic site={site.id} /> },
	];
	return (
		<>
			<dl className="gw-proxy-facts">
				<div>
					<dt>{t("site.state")}</dt>
					<dd>
						<ObjectState state={stateOf(site.id)} normal="serving" why />
					</dd>
				</div>
				<div>
					<dt>{t("site.field.backend_id")}</dt>
					<dd>
						<PoolLink id={site.backend_id} />
					</dd>
				</div>
				<div>
					<dt>{t("site.certificate")}</dt>
					<dd>
						<CoverLabel cover={useCover()} site={site} />
					</dd>
				</div>
			</dl>
			<UrlTabs label={site.name} tabs={tabs} />
		</>
	);
}
