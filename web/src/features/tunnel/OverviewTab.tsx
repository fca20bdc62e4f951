import { type TunnelInterface, type TunnelPeerStatus, useStates } from "@api";
import { Figures, formatBytes, formatNumber, LastChanges, PropertyList, Time } from "@ui";
import { AreaHistory } from "@ui/AreaHistory";
import { useTranslation } from "@ui/translation";
import { usePeers, useStatus } from "./requests";

/** OverviewTab is what a tunnel does right now and did before: who is connected, and how much was carried. */
export function OverviewTab({ tunnel }: { tunnel: TunnelInterface }) {
	const { t } = useTranslation("tunnel");
	const { data: peers } = usePeers(tunnel.id);
	const live = useStatus();
	const seen = live && peers?.flatMap(({ public_key }) => live[public_key] ?? []);
	const stateOf = useStates("tunnel_peer");
	const states = peers?.map(({ id }) => stateOf(id)?.state);
	const connected = states?.includes("unknown") ? undefined : states?.filter((state) => state === undefined).length;
	const bytes = (of: "rx" | "tx") => (seen ? formatBytes(seen.reduce((sum, one) => sum + one[of], 0)) : "–");
	return (
		<div className="gw-object-parts">
			<Figures
				label={t("tab.overview")}
				items={[
					{
						title: t("overview.connected"),
						value: connected === undefined ? "–" : formatNumber(connected),
						hint: peers && t("overview.of", { count: peers.length }),
					},
					{ title: t("overview.received"), value: bytes("rx") },
					{ title: t("overview.sent"), value: bytes("tx") },
				]}
			/>
			<section className="gw-panel" aria-label={t("interface.detail")}>
				<Facts tunnel={tunnel} handshake={seen && latest(seen)} />
			</section>
			<AreaHistory area="tunnel" of={tunnel.name} />
			<LastChanges table="tunnel_interfaces" name={tunnel.name} />
		</div>
	);
}

/** latest is when the last of all handshakes was. */
const latest = (seen: TunnelPeerStatus[]) =>
	seen
		.map(({ last_handshake: at }) => at ?? "")
		.toSorted()
		.at(-1) || undefined;

function Facts({ tunnel, handshake }: { tunnel: TunnelInterface; handshake: string | undefined }) {
	const { t } = useTranslation("tunnel");
	const { listen_port: port, mtu } = tunnel;
	return (
		<PropertyList
			items={[
				[t("interface.field.address_cidr"), <Mono key="address">{tunnel.address_cidr}</Mono>],
				[t("interface.field.listen_port"), port ? String(port) : undefined],
				[t("interface.field.endpoint"), tunnel.endpoint || undefined],
				[t("column.handshake"), handshake ? <Time key="handshake" value={handshake} /> : "–"],
				[t("column.key"), <Mono key="key">{tunnel.public_key}</Mono>],
				[t("interface.field.mtu"), mtu ? String(mtu) : undefined],
				[t("interface.field.description"), tunnel.description || undefined],
			]}
		/>
	);
}

const Mono = ({ children }: { children: string }) => <code className="gw-mono">{children}</code>;
