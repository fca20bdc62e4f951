import { type TunnelInterface, useStates } from "@api";
import { PluggedIcon } from "@patternfly/react-icons";
import { type Column, ObjectState, ResourceSection, RowLink, storedInput, useSwitchBulk } from "@ui";
import { useTranslation } from "@ui/translation";
import { tunnels } from "./resource";

/** TunnelsTab is the interfaces themselves. */
export function TunnelsTab() {
	const { t } = useTranslation("tunnel");
	const stateOf = useStates("tunnel");
	const bulk = useSwitchBulk<"active", TunnelInterface>("active", (tunnel) => storedInput(tunnel, "public_key"));
	const columns: Column<TunnelInterface>[] = [
		{
			key: "name",
			title: t("interface.field.name"),
			sortable: true,
			width: 15,
			cell: (one) => <RowLink to={`/tunnels/${one.id}`}>{one.name}</RowLink>,
		},
		{
			key: "mode",
			title: t("interface.field.mode"),
			sortable: true,
			width: 15,
			cell: (one) => t(`interface.option.mode.${one.mode}`),
		},
		{
			key: "active",
			title: t("column.state"),
			sortable: true,
			width: 15,
			cell: (one) => <ObjectState state={stateOf(one.id)} normal="link_up" />,
		},
		{
			key: "address_cidr",
			title: t("interface.field.address_cidr"),
			width: 20,
			cell: (one) => <code className="gw-mono">{one.address_cidr}</code>,
		},
		{
			key: "listen_port",
			title: t("interface.field.listen_port"),
			sortable: true,
			width: 15,
			cell: (one) => one.listen_port ?? "–",
		},
		{
			key: "public_key",
			title: t("column.key"),
			cell: (one) => <code className="gw-mono">{one.public_key}</code>,
		},
	];
	return (
		<ResourceSection
			resource={tunnels}
			ns="tunnel/interface"
			icon={PluggedIcon}
			bulk={bulk}
			columns={columns}
			defaultSort="name"
			form={() => import("./tunnelForm")}
		/>
	);
}
