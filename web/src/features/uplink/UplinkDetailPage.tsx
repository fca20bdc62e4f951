import "./uplink.css";
import { type Uplink, useProblems, useStates } from "@api";
import { useParams } from "@tanstack/react-router";
import { Link, Loaded, later, Notice, ObjectState, Page, UrlTabs, Waiting } from "@ui";
import { problemRemedy, problemTitle } from "@ui/problemText";
import { useTranslation } from "@ui/translation";
import { Suspense } from "react";
import { OverviewTab } from "./OverviewTab";
import { useStatus, useUplink } from "./requests";
import { liveOf } from "./state";

const UplinkSettings = later("uplink settings", () => import("./UplinkSettings"));

/** UplinkDetailPage is one uplink: how it does now, where it is used, and how it is configured. */
export default function UplinkDetailPage() {
	const { t } = useTranslation("uplink");
	const { id = "" } = useParams({ strict: false }) as { id?: string };
	const query = useUplink(id);
	return (
		<Page title={query.data?.name ?? t("uplink.detail")} breadcrumbs={[{ title: t("title"), to: "/uplinks" }]}>
			<Loaded query={query} height="24rem">
				{(uplink) => <Details uplink={uplink} />}
			</Loaded>
		</Page>
	);
}

function Details({ uplink }: { uplink: Uplink }) {
	const { t } = useTranslation("uplink");
	const live = useStatus();
	const now = liveOf(uplink, live);
	const stateOf = useStates("uplink");
	const tabs = [
		{ id: "overview", title: t("tab.overview"), content: <OverviewTab uplink={uplink} now={now} /> },
		{
			id: "settings",
			title: t("tab.settings"),
			content: (
				<Suspense fallback={<Waiting height="24rem" />}>
					<UplinkSettings key={uplink.id} id={uplink.id} />
				</Suspense>
			),
		},
	];
	return (
		<>
			<div className="gw-object-head">
				<ObjectState state={stateOf(uplink.id)} normal="up" why />
				{now && <span>{t(now.in_use ? "overview.used" : "overview.unused")}</span>}
				<Link to="/interfaces" search={{ q: uplink.interface }}>
					{t("overview.through", { name: uplink.interface })}
				</Link>
			</div>
			<Problems of={uplink} />
			<UrlTabs label={uplink.name} tabs={tabs} />
		</>
	);
}

/** Problems are what is wrong with this uplink, and what to do. */
function Problems({ of }: { of: Uplink }) {
	const { data } = useProblems();
	const ours = data?.problems.filter(({ subject }) => subject.kind === "uplink" && subject.id === of.id);
	return ours?.map((problem) => (
		<div className="gw-object-notice" key={`${problem.code} ${problem.message}`}>
			<Notice kind={problem.severity === "warning" ? "warning" : "danger"} title={problemTitle(problem)}>
				{problemRemedy(problem)}
			</Notice>
		</div>
	));
}
