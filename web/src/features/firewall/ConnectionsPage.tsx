import "./firewall.css";
import {
	type FirewallConnection,
	type FirewallConnectionFilter,
	type FirewallConnections,
	type Problem,
	useCan,
} from "@api";
import { Button } from "@patternfly/react-core";
import { PlugIcon } from "@patternfly/react-icons";
import {
	Csv,
	EmptyState,
	formatBytes,
	formatDuration,
	formatNumber,
	Loaded,
	later,
	Page,
	ProblemNotice,
	ProblemsOf,
} from "@ui";
import { AreaHistory } from "@ui/AreaHistory";
import { FilterBar } from "@ui/FilterBar";
import { Table, Tbody, Td, Th, Thead, Tr } from "@ui/Table";
import { useTranslation } from "@ui/translation";
import { useTypedFilters } from "@ui/useTypedFilters";
import { Suspense, useState } from "react";
import { at, filterKeys, filterOf, isNarrow, isTranslated, only } from "./connections";
import { everyConnection, useConnections } from "./requests";

const CutDialog = later("cut connections", () => import("./CutDialog"));
/** isOfTable: the table that this page shows is a part of the node, and no object of its own. */
const isOfTable = ({ code }: Problem) => code === "system.connections_full";
const protocols = ["tcp", "udp", "icmp", "icmpv6"];

/** ConnectionsPage is what passes right now, as the kernel remembers it, and can be ended. */
export default function ConnectionsPage() {
	const { t } = useTranslation("firewall");
	const admin = useCan("admin");
	const typed = useTypedFilters(filterKeys);
	const filter = filterOf(typed.search);
	const query = useConnections(filter);
	const [doomed, setDoomed] = useState<FirewallConnectionFilter>();
	const bar = (
		<FilterBar
			label={(key) => t(`filter.${key}`)}
			filters={typed}
			choices={{ proto: protocols.map((name) => ({ value: name, label: name })) }}
		>
			{admin && isNarrow(filter) && (
				<Button variant="danger" onClick={() => setDoomed(filter)}>
					{t("connection.cutAll")}
				</Button>
			)}
		</FilterBar>
	);
	return (
		<Page title={t("connection.title")} description={t("connection.lead")}>
			<ProblemNotice service="packet-filter" component="firewall" />
			<ProblemsOf is={isOfTable} />
			{bar}
			<Loaded query={query} height="20rem">
				{(found) => <List found={found} filter={filter} onCut={admin ? setDoomed : undefined} />}
			</Loaded>
			<AreaHistory area="firewall" />
			<Suspense fallback={null}>
				{doomed && <CutDialog filter={doomed} onClose={() => setDoomed(undefined)} />}
			</Suspense>
		</Page>
	);
}

interface ListProps {
	found: FirewallConnections;
	filter: FirewallConnectionFilter;
	onCut: ((filter: FirewallConnectionFilter) => void) | undefined;
}

function List({ found, filter, onCut }: ListProps) {
	const { t } = useTranslation("firewall");
	const { connections, total } = found;
	if (connections.length === 0) {
		return (
			<EmptyState title={t("connection.empty")} icon={PlugIcon}>
				{t("connection.emptyText")}
			</EmptyState>
		);
	}
	return (
		<div className="gw-table">
			<div className="gw-toolbar">
				<p role="status" className="gw-toolbar-count">
					{t("connection.count", { shown: formatNumber(connections.length), total: formatNumber(total), count: total })}
				</p>
				<Csv name="connections" rows={() => everyConnection(filter)} />
			</div>
			<Table aria-label={t("connection.title")} variant="compact">
				<Thead>
					<Tr>
						<Th width={10}>{t("connection.protocol")}</Th>
						<Th width={25}>{t("connection.source")}</Th>
						<Th width={25}>{t("connection.destination")}</Th>
						<Th width={15}>{t("connection.traffic")}</Th>
						<Th width={15}>{t("connection.state")}</Th>
						{onCut && <Th className="gw-actions-cell" screenReaderText={t("connection.cut")} />}
					</Tr>
				</Thead>
				<Tbody>
					{connections.map((one) => (
						<Connection key={keyOf(one)} one={one} onCut={onCut} />
					))}
				</Tbody>
			</Table>
		</div>
	);
}

const keyOf = (one: FirewallConnection) =>
	[one.protocol, one.source, one.source_port, one.destination, one.port, one.reply_source].join(" ");

function Connection({ one, onCut }: { one: FirewallConnection; onCut: ListProps["onCut"] }) {
	const { t } = useTranslation("firewall");
	const to = at(one.destination, one.port);
	return (
		<Tr>
			<Td dataLabel={t("connection.protocol")}>{one.protocol}</Td>
			<Td dataLabel={t("connection.source")} modifier="breakWord">
				<code className="gw-mono">{at(one.source, one.source_port)}</code>
			</Td>
			<Td dataLabel={t("connection.destination")} modifier="breakWord">
				<code className="gw-mono">{to}</code>
				{isTranslated(one) && (
					<span className="gw-fw-quiet">
						{" "}
						{t("connection.translated", { from: one.reply_destination, to: one.reply_source })}
					</span>
				)}
			</Td>
			<Td dataLabel={t("connection.traffic")}>{formatBytes(one.bytes)}</Td>
			<Td dataLabel={t("connection.state")}>
				{one.state} <span className="gw-fw-quiet">{formatDuration(one.timeout)}</span>
			</Td>
			{onCut && (
				<Td isActionCell className="gw-actions-cell">
					<button
						type="button"
						className="gw-fw-link"
						aria-label={t("connection.cutOne", { to })}
						onClick={() => onCut(only(one))}
					>
						{t("connection.cut")}
					</button>
				</Td>
			)}
		</Tr>
	);
}
