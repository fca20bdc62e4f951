import type { PacketlogEvent } from "@api";
import { ArrowRightIcon } from "@patternfly/react-icons";
import { formatBytes, formatShort, Link, type RowAction } from "@ui";
import { RowMenu } from "@ui/RowMenu";
import { useTranslation } from "@ui/translation";
import { memo } from "react";
import { ActionLabel } from "./ActionLabel";
import { at } from "./connections";

interface Props {
	event: PacketlogEvent;
	top: number;
	/** Name of the rule that logged it, once known. */
	rule: string | undefined;
	menu: ((event: PacketlogEvent) => RowAction[]) | undefined;
}

/** EventRow is one packet that was logged. */
export const EventRow = memo(function EventRow({ event, top, rule, menu }: Props) {
	const { t } = useTranslation("firewall");
	const from = at(event.source, event.source_port);
	const to = at(event.destination, event.port);
	const links = [event.interface, event.out_interface].filter(Boolean).join(" → ");
	const by = event.rule_id ? (rule ?? "…") : t(event.chain === "input" ? "log.byInput" : "log.byForward");
	return (
		<li style={{ transform: `translateY(${top}px)` }}>
			<time dateTime={event.timestamp}>{formatShort(new Date(event.timestamp))}</time>
			<ActionLabel action={event.action} done />
			<span className="gw-fw-proto">{event.proto}</span>
			<span className="gw-fw-packet">
				<code title={from}>{from}</code>
				<ArrowRightIcon aria-label={t("rule.to")} />
				<code title={to}>{to}</code>
			</span>
			<span className="gw-fw-links" title={links}>
				{links}
			</span>
			<span className="gw-fw-by" title={by}>
				{event.rule_id ? (
					<Link to="/firewall" search={{ do: "edit", id: event.rule_id }}>
						{by}
					</Link>
				) : (
					by
				)}
			</span>
			<span className="gw-fw-size">{formatBytes(event.size)}</span>
			{menu && <RowMenu items={menu(event)} label={t("log.actions", { from, to })} />}
		</li>
	);
});
