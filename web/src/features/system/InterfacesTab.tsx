import { listNetworkInterfacesOptions, useStates } from "@api";
import { useQuery } from "@tanstack/react-query";
import { Loaded, Table, TableTools, Tbody, Th, Thead, Tr } from "@ui";
import { useTranslation } from "@ui/translation";
import { InterfaceRow } from "./InterfaceRow";
import { useInterfaces } from "./requests";

/** InterfacesTab is the network links as the kernel has them, counting live. */
export function InterfacesTab() {
	const { t } = useTranslation("system");
	const query = useInterfaces(2);
	const judgedOf = useJudged();
	return (
		<Loaded query={query} height="16rem">
			{(links, current) => (
				<div className="gw-table">
					<TableTools name="interfaces" rows={links} />
					<Table aria-label={t("tab.interfaces")} variant="compact" gridBreakPoint="grid-md">
						<Thead>
							<Tr>
								<Th width={15}>{t("column.interface")}</Th>
								<Th width={15}>{t("column.state")}</Th>
								<Th width={30}>{t("column.addresses")}</Th>
								<Th width={10}>{t("column.mtu")}</Th>
								<Th width={15}>{t("column.received")}</Th>
								<Th width={15}>{t("column.sent")}</Th>
							</Tr>
						</Thead>
						<Tbody>
							{links.map((link) => (
								<InterfaceRow key={link.ifindex} link={link} current={current} {...judgedOf(link.ifname)} />
							))}
						</Tbody>
					</Table>
				</div>
			)}
		</Loaded>
	);
}

/**
 * useJudged says of a link what the page of interfaces says of it, so that one has one colour. While the server does not know,
 * what the kernel says is all there is.
 */
function useJudged() {
	const stateOf = useStates("network_interface");
	const { data: rows = [] } = useQuery(listNetworkInterfacesOptions({ query: { limit: 1000, sort: "name" } }));
	return (name: string) => {
		const row = rows.find((one) => one.name === name);
		const judged = row && stateOf(row.id);
		return { judged, configured: row !== undefined && (judged?.state !== "unknown" || judged.code !== "") };
	};
}
