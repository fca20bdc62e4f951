import { type DhcpSubnet, useStates } from "@api";
import { NetworkWiredIcon } from "@patternfly/react-icons";
import {
	type Column,
	formatDuration,
	ObjectState,
	ResourceSection,
	storedInput,
	UnknownState,
	useSwitchBulk,
} from "@ui";
import { AreaHistory } from "@ui/AreaHistory";
import { useTranslation } from "@ui/translation";
import { Pools } from "./Pools";
import { subnets } from "./resource";

/** SubnetsTab is the networks whose clients are given addresses, and how full their pools are. */
export function SubnetsTab() {
	const { t } = useTranslation("dhcp");
	const stateOf = useStates("dhcp-subnet");
	const bulk = useSwitchBulk<"active", DhcpSubnet>("active", storedInput);
	const columns: Column<DhcpSubnet>[] = [
		{ key: "subnet", title: t("subnet.field.subnet"), sortable: true, width: 15 },
		{ key: "interface", title: t("subnet.field.interface"), sortable: true, width: 15 },
		{ key: "pools", title: t("subnet.field.pools"), width: 25, cell: ({ pools }) => <Lines of={pools} /> },
		{ key: "gateway", title: t("subnet.field.gateway"), width: 15, cell: ({ gateway }) => gateway || "–" },
		{
			key: "lease_time",
			title: t("subnet.field.lease_time"),
			sortable: true,
			width: 15,
			cell: ({ lease_time = 0 }) => formatDuration(lease_time),
		},
		{
			key: "active",
			title: t("subnet.state"),
			width: 15,
			// A row that nobody could ask for anew may be of a subnet that is gone.
			cell: ({ id }, current) => (current ? <ObjectState state={stateOf(id)} normal="serving" /> : <UnknownState />),
		},
	];
	return (
		<>
			<ResourceSection
				resource={subnets}
				ns="dhcp/subnet"
				icon={NetworkWiredIcon}
				columns={columns}
				bulk={bulk}
				defaultSort="subnet"
				form={() => import("./subnetForm")}
			/>
			<Pools />
			<AreaHistory area="dhcp" />
		</>
	);
}

/** Lines is one entry below the other: side by side the second one is cut. */
const Lines = ({ of: lines }: { of: string[] | null }) =>
	lines && lines.length > 0
		? lines.map((line) => (
				<code key={line} className="gw-mono gw-dhcp-line">
					{line}
				</code>
			))
		: "–";
