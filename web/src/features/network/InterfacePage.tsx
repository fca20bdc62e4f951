import "./network.css";
import { type NetworkInterface, useProblems, useStates } from "@api";
import { useParams } from "@tanstack/react-router";
import { Link, Loaded, later, Notice, ObjectState, Page, UrlTabs, Waiting } from "@ui";
import { problemRemedy, problemTitle } from "@ui/problemText";
import { useTranslation } from "@ui/translation";
import { Suspense } from "react";
import { AddressesTab } from "./AddressesTab";
import { OverviewTab } from "./OverviewTab";
import { Rates } from "./Rates";
import { useInterface, useLinks } from "./requests";
import { useTypeName } from "./TypeName";

const InterfaceSettings = later("interface settings", () => import("./InterfaceSettings"));

/** InterfacePage is one interface: what it does now, its addresses, and how it is configured. */
export default function InterfacePage() {
	const { t } = useTranslation("network");
	const { id = "" } = useParams({ strict: false }) as { id?: string };
	const query = useInterface(id);
	return (
		<Page title={query.data?.name ?? t("link.detail")} breadcrumbs={[{ title: t("link.title"), to: "/interfaces" }]}>
			<Loaded query={query} height="24rem">
				{(row) => <Interface row={row} />}
			</Loaded>
		</Page>
	);
}

function Interface({ row }: { row: NetworkInterface }) {
	const { t } = useTranslation("network");
	const links = useLinks();
	const typeName = useTypeName();
	const state = useStates("network_interface")(row.id);
	const tabs = [
		{ id: "overview", title: t("tab.overview"), content: <OverviewTab row={row} links={links} /> },
		{
			id: "addresses",
			title: t("address.title"),
			content: <AddressesTab id={row.id} />,
		},
		{
			id: "settings",
			title: t("tab.settings"),
			content: (
				<Suspense fallback={<Waiting height="24rem" />}>
					<InterfaceSettings id={row.id} />
				</Suspense>
			),
		},
	];
	return (
		<>
			<div className="gw-net-head">
				<ObjectState state={state} normal="link_up" why />
				<span>{typeName(row)}</span>
				{row.role ? (
					<Link to="/objects" search={{ q: row.role }}>
						{t("link.inZone", { zone: row.role })}
					</Link>
				) : (
					<span>{t("link.noZone")}</span>
				)}
				{!state && <Rates name={row.name} points={links.points} />}
			</div>
			<Problems of={row} />
			<UrlTabs label={row.name} tabs={tabs} />
		</>
	);
}

/** Problems are what is wrong with this interface and its addresses, and what to do. */
function Problems({ of }: { of: NetworkInterface }) {
	const { data } = useProblems();
	const ours = data?.problems.filter(
		({ subject: { kind, id, name }, link }) =>
			(kind === "interface" && (id === of.id || name === of.name)) ||
			(kind === "ip_address" && link.startsWith(`/interfaces/${of.id}?`)),
	);
	return ours?.map((problem) => (
		<div className="gw-net-notice" key={`${problem.code} ${problem.subject.id} ${problem.message}`}>
			<Notice kind={problem.severity === "warning" ? "warning" : "danger"} title={problemTitle(problem)}>
				{problemRemedy(problem)}
			</Notice>
		</div>
	));
}
