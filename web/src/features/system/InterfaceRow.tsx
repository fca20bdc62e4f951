import type { ProblemState, SysInterface } from "@api";
import { formatBytes, formatNumber, ObjectState, StatusLabel, Td, Tr, UnknownState } from "@ui";
import { linkState } from "@ui/links";
import { useTranslation } from "@ui/translation";

interface Props {
	link: SysInterface;
	current: boolean;
	/** As the server judges it, of one that is configured; undefined of one that works. */
	judged: ProblemState | undefined;
	configured: boolean;
}

/** InterfaceRow is one link with its addresses and counters. */
export function InterfaceRow({ link, current, judged, configured }: Props) {
	const { t } = useTranslation("system");
	return (
		<Tr>
			<Td dataLabel={t("column.interface")}>
				<div>
					<strong>{link.ifname}</strong>
					{link.address && link.link_type !== "loopback" && <div className="gw-system-unit">{link.address}</div>}
				</div>
			</Td>
			<Td dataLabel={t("column.state")}>
				<span title={traits(link)}>
					{!current && <UnknownState />}
					{current && configured && <ObjectState state={judged} normal="link_up" />}
					{current && !configured && <Seen link={link} />}
				</span>
			</Td>
			<Td dataLabel={t("column.addresses")} className="gw-wide-cell">
				{link.addr_info.length === 0 ? (
					"–"
				) : (
					<ul className="gw-system-version">
						{link.addr_info.map((one) => (
							<li key={one.local}>
								{one.local}/{one.prefixlen}
							</li>
						))}
					</ul>
				)}
			</Td>
			<Td dataLabel={t("column.mtu")} className="gw-system-figure">
				{link.mtu}
			</Td>
			<Td dataLabel={t("column.received")}>
				<Counters bytes={link.rx_bytes} packets={link.rx_packets} drops={link.rx_drop} />
			</Td>
			<Td dataLabel={t("column.sent")}>
				<Counters bytes={link.tx_bytes} packets={link.tx_packets} drops={link.tx_drop} />
			</Td>
		</Tr>
	);
}

/** Seen is what the kernel says of a link. Nobody has said that it should work, so it is not wrong when it does not. */
function Seen({ link }: { link: SysInterface }) {
	const { t } = useTranslation("system");
	const state = linkState(link);
	return <StatusLabel status={state === "up" ? "success" : "neutral"}>{t(`link.${state}`)}</StatusLabel>;
}

/** traits are the kernel's words for a link, on hover for those who know them: its type and flags. */
const traits = ({ link_type, flags }: SysInterface) =>
	[...new Set([link_type, ...flags].map((word) => word.toLowerCase()))].join(" ");

function Counters({ bytes, packets, drops }: { bytes: number; packets: number; drops: number }) {
	const { t } = useTranslation("system");
	return (
		<div className="gw-system-figure">
			{formatBytes(bytes)}
			<div className="gw-system-sub">{t("link.packets", { count: packets, shown: formatNumber(packets) })}</div>
			{drops > 0 && (
				<div className="gw-system-sub">{t("link.drops", { count: drops, shown: formatNumber(drops) })}</div>
			)}
		</div>
	);
}
