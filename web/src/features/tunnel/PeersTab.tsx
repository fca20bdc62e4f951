import { type TunnelPeer, useStates } from "@api";
import { MobileAltIcon } from "@patternfly/react-icons";
import {
	type Column,
	formatBytes,
	later,
	ObjectState,
	ResourceSection,
	type RowDialog,
	storedInput,
	Time,
	useSwitchBulk,
} from "@ui";
import { useTranslation } from "@ui/translation";
import { useMemo } from "react";
import { useStatus, useTunnels } from "./requests";
import { peers, peersOf } from "./resource";

const DeviceDialog = later("tunnel code", () => import("./DeviceDialog"));

/** PeersTab is who is at the other ends, of one tunnel or of all, beside how they are doing right now. */
export function PeersTab({ tunnel }: { tunnel?: string }) {
	const { t } = useTranslation("tunnel");
	const tunnels = useTunnels();
	const resource = useMemo(() => (tunnel ? peersOf(tunnel) : peers), [tunnel]);
	const live = useStatus();
	const stateOf = useStates("tunnel_peer");
	const bulk = useSwitchBulk<"active", TunnelPeer>("active", (peer) =>
		storedInput(peer, "has_private_key", "has_preshared_key"),
	);
	const of = (peer: TunnelPeer) => live?.[peer.public_key];
	const columns: Column<TunnelPeer>[] = [
		{ key: "name", title: t("peer.field.name"), sortable: true, width: 20 },
		{
			key: "interface_id",
			title: t("peer.field.interface_id"),
			width: 10,
			cell: (peer) => tunnels.find((one) => one.id === peer.interface_id)?.name ?? "–",
		},
		{
			key: "live.state",
			title: t("column.state"),
			width: 15,
			cell: (peer) => <ObjectState state={stateOf(peer.id)} normal="connected" />,
		},
		{
			key: "live.handshake",
			title: t("column.handshake"),
			width: 15,
			cell: (peer) => {
				const at = of(peer)?.last_handshake;
				return at ? <Time value={at} /> : "–";
			},
		},
		{
			key: "live.traffic",
			title: t("column.traffic"),
			width: 20,
			cell: (peer) => {
				const one = of(peer);
				return one ? t("traffic", { rx: formatBytes(one.rx), tx: formatBytes(one.tx) }) : "–";
			},
		},
		{
			key: "allowed_ips",
			title: t("peer.field.allowed_ips"),
			cell: (peer) => <code className="gw-mono">{peer.allowed_ips.join(", ")}</code>,
		},
	];
	const dialogs: RowDialog<TunnelPeer>[] = [
		{
			id: "code",
			title: t("device.code_action"),
			fits: (peer) => peer.has_private_key,
			dialog: (peer, close) => <DeviceDialog peer={peer} onClose={close} />,
		},
	];
	const filter = {
		key: "filter",
		label: t("allTunnels"),
		options: tunnels.map(({ id, name }) => ({ value: `interface_id:${id}`, label: name })),
	};
	return (
		<ResourceSection
			resource={resource}
			ns="tunnel/peer"
			icon={MobileAltIcon}
			bulk={bulk}
			columns={tunnel ? columns.filter(({ key }) => key !== "interface_id") : columns}
			dialogs={dialogs}
			filters={tunnel ? [] : [filter]}
			defaultSort="name"
			form={() => import("./peerForm")}
		/>
	);
}
