import "./proxy.css";
import { type ProxyBackend, useStates } from "@api";
import { useParams } from "@tanstack/react-router";
import { Loaded, later, Notice, ObjectState, Page, sentence, serverText, UrlTabs, Waiting } from "@ui";
import { useTranslation } from "@ui/translation";
import { Suspense } from "react";
import { usePool, useStats } from "./requests";
import { ServersTab } from "./ServersTab";

const PoolSettings = later("pool settings", () => import("./PoolSettings"));

/** PoolPage is one pool: its servers as they do right now, and how they are used. */
export default function PoolPage() {
	const { t } = useTranslation("proxy");
	const { id } = useParams({ strict: false }) as { id: string };
	const query = usePool(id);
	const title = query.data?.name ?? t("pool.detail");
	const crumbs = [
		{ title: t("title"), to: "/proxy" },
		{ title: t("tab.pools"), to: "/proxy?tab=pools" },
	];
	return (
		<Page title={title} breadcrumbs={crumbs}>
			<Loaded query={query} height="24rem">
				{(pool) => <Pool pool={pool} />}
			</Loaded>
		</Page>
	);
}

function Pool({ pool }: { pool: ProxyBackend }) {
	const { t } = useTranslation("proxy");
	const counted = useStats();
	const state = useStates("backend")(pool.id);
	const tabs = [
		{ id: "servers", title: t("pool.servers"), content: <ServersTab pool={pool} counted={counted} /> },
		{
			id: "settings",
			title: t("tab.settings"),
			content: (
				<Suspense fallback={<Waiting height="24rem" />}>
					<PoolSettings id={pool.id} />
				</Suspense>
			),
		},
	];
	return (
		<>
			<div className="gw-proxy-head">
				<ObjectState state={state} normal="up" why />
				<span>{t(`pool.option.lb_algorithm.${pool.lb_algorithm}`)}</span>
				<span>{t(`pool.short.${pool.scheme}`)}</span>
			</div>
			{state?.state === "no_servers" && (
				<div className="gw-proxy-notice">
					<Notice kind="warning" title={t("pool.emptyTitle")}>
						{t("pool.emptyHint")}
					</Notice>
				</div>
			)}
			{counted?.error && (
				<div className="gw-proxy-notice">
					<Notice kind="warning" title={sentence(serverText({ message: counted.error, ...counted.error_words }))} />
				</div>
			)}
			<UrlTabs label={pool.name} tabs={tabs} />
		</>
	);
}
