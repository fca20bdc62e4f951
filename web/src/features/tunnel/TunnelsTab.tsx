import { type TunnelInterface, useStates } from "@api";
import { PluggedIcon } from "@patternfly/react-icons";
import { type Column, Link, ResourceSection, StatusLabel } from "@ui";
import { stateReason } from "@ui/problemText";
import { useTranslation } from "react-i18next";
import { tunnels } from "./resource";
import { tunnelLooks, tunnelStateOf } from "./state";

/** TunnelsTab is the interfaces themselves. */
export function TunnelsTab() {
	const { t } = useTranslation("tunnel");
	const wrongWith = useStates("tunnel");
	const wrongWithAll = useStates("component")("tunnel");
	const columns: Column<TunnelInterface>[] = [
		{
			key: "name",
			title: t("interface.field.name"),
			sortable: true,
			width: 15,
			cell: (one) => <Link to={`/tunnels?filter=${encodeURIComponent(`interface_id:${one.id}`)}`}>{one.name}</Link>,
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
			cell: (one) => {
				const wrong = wrongWith(one.id) ?? wrongWithAll;
				const state = tunnelStateOf(one, wrongWith(one.id), wrongWithAll);
				return (
					<span title={(wrong && stateReason(wrong)) || undefined}>
						<StatusLabel status={tunnelLooks[state]}>{t(`state.${state}`)}</StatusLabel>
					</span>
				);
			},
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
			columns={columns}
			defaultSort="name"
			form={() => import("./tunnelForm")}
		/>
	);
}
