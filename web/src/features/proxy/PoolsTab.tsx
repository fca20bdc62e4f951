import { type ProxyBackend, useStates } from "@api";
import { ServerGroupIcon } from "@patternfly/react-icons";
import {
	type Column,
	formatNumber,
	Notice,
	ObjectState,
	ResourceSection,
	RowLink,
	sentence,
	serverText,
	storedInput,
	useSwitchBulk,
} from "@ui";
import { useTranslation } from "@ui/translation";
import { useStats } from "./requests";
import { pools } from "./resource";

/** PoolsTab is the groups of servers that sites and services lead to, and how they do right now. */
export function PoolsTab() {
	const { t } = useTranslation("proxy");
	const counted = useStats(5);
	const stateOf = useStates("backend");
	const bulk = useSwitchBulk<"active", ProxyBackend>("active", (pool) => storedInput(pool, "servers"));
	const rate = (pool: ProxyBackend) => counted?.pool(pool.id)?.req_rate;
	const columns: Column<ProxyBackend>[] = [
		{
			key: "name",
			title: t("pool.field.name"),
			sortable: true,
			cell: (pool) => <RowLink to={`/proxy/pools/${pool.id}`}>{pool.name}</RowLink>,
		},
		{
			key: "live.health",
			title: t("pool.state"),
			letters: 14,
			cell: (pool) => <ObjectState state={stateOf(pool.id)} normal="up" />,
		},
		{ key: "servers", title: t("pool.servers"), width: 25, cell: (pool) => <Servers pool={pool} /> },
		{
			key: "scheme",
			title: t("pool.field.scheme"),
			sortable: true,
			letters: 10,
			cell: (pool) => t(`pool.short.${pool.scheme}`),
		},
		{ key: "live.rate", title: t("rate"), letters: 10, cell: (pool) => shown(rate(pool)) },
	];
	const filter = {
		key: "filter",
		label: t("pool.all"),
		options: ["http", "https", "tcp"].map((scheme) => ({
			value: `scheme:${scheme}`,
			label: t(`pool.short.${scheme}`),
		})),
	};
	return (
		<>
			{counted?.error && (
				<div className="gw-proxy-notice">
					<Notice kind="warning" title={sentence(serverText({ message: counted.error, ...counted.error_words }))} />
				</div>
			)}
			<ResourceSection
				resource={pools}
				ns="proxy/pool"
				icon={ServerGroupIcon}
				bulk={bulk}
				columns={columns}
				filters={[filter]}
				defaultSort="name"
				form={() => import("./poolForm")}
			/>
		</>
	);
}

const shown = (value: number | undefined) => (value === undefined ? "–" : formatNumber(value));

function Servers({ pool }: { pool: ProxyBackend }) {
	const { t } = useTranslation("proxy");
	const { servers } = pool;
	if (servers.length === 0) return "–";
	const names = servers.map((server) => `${server.address}:${server.port}`);
	return (
		<span title={names.join(", ")}>
			{servers.length > 2 ? t("pool.count", { count: servers.length }) : names.join(", ")}
		</span>
	);
}
