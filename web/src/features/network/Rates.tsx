import { formatRate } from "@ui";
import { latest, type Point } from "@ui/history";
import { rx, tx } from "@ui/links";
import { useTranslation } from "@ui/translation";

const words = (value: number | null) => (value === null ? "–" : formatRate(value));

/** Rates is what comes in and goes out through a link right now. */
export function Rates({ name, points }: { name: string; points: Point[] }) {
	const { t } = useTranslation("network");
	const [received, sent] = [rx(name), tx(name)].map((key) => words(latest(points, key)));
	return (
		<span className="gw-net-rates" title={t("rates", { received, sent })}>
			<span className="pf-v6-screen-reader">{t("rates", { received, sent })}</span>
			<span aria-hidden="true">↓ {received}</span>
			<span aria-hidden="true">↑ {sent}</span>
		</span>
	);
}
