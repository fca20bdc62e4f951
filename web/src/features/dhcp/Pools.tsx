import type { DhcpCell, DhcpPoolUsage } from "@api";
import { formatNumber } from "@ui";
import { useTranslation } from "@ui/translation";
import { useUsage } from "./requests";

/** Pools is a picture of each pool: which addresses are taken, and which are free. */
export function Pools() {
	const { t } = useTranslation("dhcp");
	const pools = useUsage() ?? [];
	if (pools.length === 0) return null;
	return (
		<section className="gw-panel gw-dhcp-pools" aria-label={t("pool.title")}>
			<h2>{t("pool.title")}</h2>
			<Legend />
			{pools.map((pool) => (
				<Pool key={pool.pool} pool={pool} />
			))}
		</section>
	);
}

const kinds = ["leased", "reserved", "declined", "free"] as const;

type Kind = (typeof kinds)[number];

/** kindOf is what most of a cell is used for, before it is free. */
export const kindOf = (cell: DhcpCell): Kind =>
	kinds
		.slice(0, -1)
		.reduce<Kind>((best, kind) => (cell[kind] > (best === "free" ? 0 : cell[best]) ? kind : best), "free");

function Legend() {
	const { t } = useTranslation("dhcp");
	return (
		<ul className="gw-dhcp-legend">
			{kinds.map((kind) => (
				<li key={kind}>
					<span className={`gw-dhcp-cell gw-dhcp-${kind}`} aria-hidden="true" /> {t(`pool.${kind}`)}
				</li>
			))}
		</ul>
	);
}

function Pool({ pool }: { pool: DhcpPoolUsage }) {
	const { t } = useTranslation("dhcp");
	const figures = { free: formatNumber(pool.free), size: formatNumber(pool.size) };
	return (
		<figure>
			<figcaption>
				<code className="gw-mono">{pool.pool}</code> · {t("pool.left", figures)}
			</figcaption>
			<div className="gw-dhcp-cells" role="img" aria-label={t("pool.picture", { pool: pool.pool, ...figures })}>
				{(pool.cells ?? []).map((cell) => (
					<span
						key={cell.first}
						className={`gw-dhcp-cell gw-dhcp-${kindOf(cell)}`}
						title={`${cell.first} · ${t(`pool.${kindOf(cell)}`)}`}
					/>
				))}
			</div>
		</figure>
	);
}
