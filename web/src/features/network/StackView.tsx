import type { NetworkInterface } from "@api";
import { Link } from "@ui";
import { useTranslation } from "@ui/translation";
import { useMemo } from "react";
import { LinkBox } from "./LinkBox";
import type { Links } from "./requests";
import { type Box, stackOf } from "./stack";

/** Sizes of a box and of the space beside it; .gw-net-box has the same. */
const box = { width: 208, height: 88 };
const zoneWidth = 128;
const gap = { x: 32, y: 12 };

/** More than these nobody follows with the eye; the list below has all. */
const most = 100;

const left = ({ column }: Box) => column * (box.width + gap.x);
const top = ({ at }: Box) => at * (box.height + gap.y);

/** wayOf is a line from the right of one box to the left of another. */
function wayOf(from: Box, to: Box): string {
	const [x1, y1] = [left(from) + box.width, top(from) + box.height / 2];
	const [x2, y2] = [left(to), top(to) + box.height / 2];
	const bend = gap.x / 2;
	// Level until the last gap, so that it passes behind boxes and not between them.
	return `M${x1} ${y1} H${x2 - gap.x} C${x2 - bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`;
}

/** StackView draws how the interfaces are built on each other: port, bond, VLAN, bridge, zone. */
export function StackView({ rows, links }: { rows: NetworkInterface[]; links: Links }) {
	const { t } = useTranslation("network");
	const { all } = links;
	const stack = useMemo(() => stackOf(rows.slice(0, most), all.slice(0, most)), [rows, all]);
	if (stack.boxes.length === 0) return null;
	const width = Math.max(...stack.boxes.map((one) => left(one) + (one.part ? box.width : zoneWidth)));
	const height = stack.rows * (box.height + gap.y) - gap.y;
	return (
		// Whoever has no mouse scrolls it with the arrow keys.
		// biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls sideways
		<section className="gw-panel gw-net-stack" aria-label={t("stack.title")} data-wide="" tabIndex={0}>
			<div className="gw-net-drawing" style={{ width, height }}>
				<svg width={width} height={height} aria-hidden="true">
					{stack.lines.map(({ from, to }) => (
						<path key={`${from.id} ${to.id}`} d={wayOf(from, to)} />
					))}
				</svg>
				<ul>
					{stack.boxes.map((one) => (
						<li key={one.id} style={{ left: left(one), top: top(one) }}>
							{one.part ? <LinkBox part={one.part} links={links} /> : <ZoneBox zone={one.zone ?? ""} />}
						</li>
					))}
				</ul>
			</div>
			{rows.length > most && <p className="gw-net-quiet">{t("stack.more", { count: rows.length - most })}</p>}
		</section>
	);
}

function ZoneBox({ zone }: { zone: string }) {
	const { t } = useTranslation("network");
	return (
		<Link to="/objects" search={{ q: zone }} className="gw-net-box gw-net-box-zone">
			<span className="gw-net-quiet">{t("link.field.role")}</span> <strong>{zone}</strong>
		</Link>
	);
}
