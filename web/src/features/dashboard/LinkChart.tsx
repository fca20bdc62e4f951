import type { SysInterface } from "@api";
import { formatRate } from "@ui";
import { latest, type Point } from "@ui/history";
import { rx, tx } from "@ui/links";
import { useTranslation } from "@ui/translation";
import { Trend } from "./Trend";

/** Below 10 kbit/s the chart does not zoom in any further. */
const quiet = 1_250;

/** LinkChart is the throughput of one link in both directions. */
export function LinkChart({ link, points }: { link: SysInterface; points: Point[] }) {
	const { t } = useTranslation("dashboard");
	const address = link.addr_info.find((one) => one.scope === "global")?.local;
	const lines = [
		{ name: "in", label: t("throughput.in"), key: rx(link.ifname) },
		{ name: "out", label: t("throughput.out"), key: tx(link.ifname) },
	];
	return (
		<section className="gw-link" aria-label={link.ifname}>
			<h3 className="gw-link-name">
				{link.ifname} {address && <span className="gw-subtle">{address}</span>}
			</h3>
			<dl className="gw-link-now">
				{lines.map((line) => (
					<div key={line.name} data-line={line.name}>
						<dt>{line.label}</dt>
						<dd>{words(latest(points, line.key))}</dd>
					</div>
				))}
			</dl>
			<Trend
				label={t("throughput.label", { name: link.ifname })}
				points={points}
				lines={lines}
				format={formatRate}
				atLeast={quiet}
			/>
		</section>
	);
}

const words = (value: number | null) => (value === null ? "–" : formatRate(value));
