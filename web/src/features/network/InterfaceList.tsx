import { type NetworkInterface, type SysInterface, useStates } from "@api";
import { NetworkIcon } from "@patternfly/react-icons";
import { type Column, ObjectState, ResourceSection, RowLink, StatusLabel } from "@ui";
import { useTranslation } from "@ui/translation";
import { Mono } from "./Mono";
import { Rates } from "./Rates";
import type { Links } from "./requests";
import { interfaces } from "./resource";
import { TypeName } from "./TypeName";

const types = ["ethernet", "vlan", "bond", "bridge", "wireguard"];

/** InterfaceList is the interfaces of this node, each with its zone and how it is right now. */
export function InterfaceList({ links }: { links: Links }) {
	const { t } = useTranslation("network");
	const stateOf = useStates("network_interface");
	const columns: Column<NetworkInterface>[] = [
		{ key: "name", title: t("link.field.name"), sortable: true, width: 15, cell: (one) => <Name of={one} /> },
		{
			key: "live.state",
			title: t("state.title"),
			width: 15,
			cell: (one) => <ObjectState state={stateOf(one.id)} normal="link_up" />,
		},
		{ key: "role", title: t("link.field.role"), sortable: true, width: 10, cell: (one) => <Role role={one.role} /> },
		{ key: "type", title: t("link.field.type"), sortable: true, width: 15, cell: (one) => <TypeName of={one} /> },
		{
			key: "live.addresses",
			title: t("address.title"),
			width: 15,
			cell: (one) => <Addresses of={links.of(one.name)} />,
		},
		{
			key: "live.rates",
			title: t("traffic"),
			width: 10,
			cell: (one) => (stateOf(one.id) ? "–" : <Rates name={one.name} points={links.points} />),
		},
		{ key: "description", title: t("link.field.description") },
	];
	const filter = {
		key: "filter",
		label: t("link.all"),
		options: types.map((type) => ({ value: `type:${type}`, label: t(`link.option.type.${type}`) })),
	};
	return (
		<ResourceSection
			resource={interfaces}
			ns="network/link"
			icon={NetworkIcon}
			columns={columns}
			filters={[filter]}
			defaultSort="name"
			form={() => import("./interfaceForm")}
		/>
	);
}

function Name({ of }: { of: NetworkInterface }) {
	return (
		<RowLink to={`/interfaces/${of.id}`}>
			<code className="gw-mono">{of.name}</code>
		</RowLink>
	);
}

function Role({ role }: { role: string | null }) {
	const { t } = useTranslation("network");
	return role ? <b title={role}>{role}</b> : <StatusLabel status="neutral">{t("link.noZone")}</StatusLabel>;
}

/** Addresses are those that the kernel has; those of the link itself say nothing. */
function Addresses({ of }: { of: SysInterface | undefined }) {
	const text = (of?.addr_info ?? [])
		.filter(({ scope }) => scope !== "link")
		.map(({ local, prefixlen }) => `${local}/${prefixlen}`)
		.join(", ");
	return <Mono>{text}</Mono>;
}
