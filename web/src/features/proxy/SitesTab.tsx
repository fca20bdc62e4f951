import { type ProxyDomain, useCan, useStates } from "@api";
import { Button } from "@patternfly/react-core";
import { GlobeIcon } from "@patternfly/react-icons";
import { useNavigate } from "@tanstack/react-router";
import {
	type BulkAction,
	type Column,
	DomainName,
	EmptyState,
	later,
	ObjectState,
	ResourceTable,
	RowLink,
	Time,
	tell,
	useSwitchBulk,
} from "@ui";
import { useTranslation } from "@ui/translation";
import { Suspense, useMemo, useState } from "react";
import { CoverLabel } from "./CoverLabel";
import { namesOf, uncoveredOf } from "./cover";
import { PoolLink, PoolName } from "./PoolLink";
import { useCover, usePools } from "./requests";
import { sites } from "./resource";
import { inputOf } from "./settings";
import { useMaintenance } from "./useMaintenance";

const RemoveDialog = later("remove a site", () => import("./RemoveSite"));

/** SitesTab is the names that are served, each with where it leads and how its certificate stands. */
export function SitesTab() {
	const { t } = useTranslation("proxy");
	const admin = useCan("admin");
	const navigate = useNavigate();
	const [doomed, setDoomed] = useState<ProxyDomain>();
	const setMaintenance = useMaintenance();
	const cover = useCover();
	const listed = usePools();
	const pools = useMemo(() => new Map(listed?.map((pool) => [pool.id, pool])), [listed]);
	// A row that asks for itself is slow to scroll; only pools beyond the first thousand have to.
	const poolOf = ({ backend_id: id }: ProxyDomain) => {
		const known = !listed || !id || pools.has(id);
		return known ? <PoolName id={id} pool={pools.get(id ?? "")} /> : <PoolLink id={id} />;
	};
	const stateOf = useStates("domain");
	const columns: Column<ProxyDomain>[] = [
		{ key: "name", title: t("site.field.name"), sortable: true, cell: (site) => <Name site={site} /> },
		{
			key: "backend_id",
			title: t("site.field.backend_id"),
			width: 20,
			cell: (site) => poolOf(site),
		},
		{
			key: "live.certificate",
			title: t("site.certificate"),
			letters: 14,
			cell: (site) => <CoverLabel cover={cover} site={site} />,
		},
		{
			key: "active",
			title: t("site.state"),
			sortable: true,
			letters: 14,
			cell: (site) => <ObjectState state={stateOf(site.id)} normal="serving" />,
		},
		{
			key: "updated_at",
			title: t("changed"),
			sortable: true,
			letters: 13,
			cell: (site) => <Time value={site.updated_at} />,
		},
	];
	const actions = (site: ProxyDomain) => [
		{ title: t("site.open"), onClick: () => void navigate({ to: `/proxy/sites/${site.id}` }) },
		{
			title: t(site.maintenance ? "maintenance.end" : "maintenance.begin"),
			onClick: () => setMaintenance(site, !site.maintenance),
		},
		{ isSeparator: true as const },
		{ title: t("site.delete"), isDanger: true, onClick: () => setDoomed(site) },
	];
	const switches = useSwitchBulk<"active", ProxyDomain>("active", inputOf);
	const bulk: BulkAction<ProxyDomain>[] = [
		...switches,
		{
			id: "certificate",
			title: t("bulk.certificate"),
			// Names below a wildcard need a DNS provider, which is chosen for one certificate at a time.
			fits: (site) => cover !== undefined && uncoveredOf(site, cover).length > 0 && !site.name.startsWith("*"),
			skipped: t("bulk.covered"),
			touches: ["cert"],
			step: (site) => {
				const names = cover ? uncoveredOf(site, cover) : namesOf(site);
				return { method: "POST", path: "/certificates", body: { names, source: "acme" } };
			},
		},
		{
			id: "delete",
			title: t("site.delete"),
			many: (count) => t("site.deleteMany", { count }),
			danger: true,
			step: () => ({ method: "DELETE" }),
		},
	];
	const filter = {
		key: "filter",
		label: t("site.all"),
		options: [
			{ value: "active:true", label: t("site.on") },
			{ value: "active:false", label: t("site.off") },
			{ value: "maintenance:true", label: t("site.maintenance") },
		],
	};
	const publish = admin && (
		<Button onClick={() => void navigate({ to: "/proxy/publish" })}>{t("publish.title")}</Button>
	);
	return (
		<>
			<ResourceTable
				resource={sites}
				label={t("tab.sites")}
				columns={columns}
				actions={admin ? actions : undefined}
				bulk={admin ? bulk : undefined}
				filters={[filter]}
				defaultSort="name"
				searchLabel={t("site.search")}
				toolbar={publish}
				empty={
					<EmptyState title={t("site.empty")} icon={GlobeIcon} action={publish}>
						{t("site.emptyText")}
					</EmptyState>
				}
			/>
			<Suspense fallback={null}>
				{doomed && (
					<RemoveDialog
						site={doomed}
						onRemoved={({ outcome }) => tell(t("site.deleted", { name: doomed.name }), "proxy", outcome)}
						onClose={() => setDoomed(undefined)}
					/>
				)}
			</Suspense>
		</>
	);
}

function Name({ site }: { site: ProxyDomain }) {
	return (
		<span title={site.notes || site.name}>
			<RowLink to={`/proxy/sites/${site.id}`}>
				<DomainName name={site.name} />
			</RowLink>
		</span>
	);
}
