import type { FirewallCell } from "@api";
import type { Translate } from "@ui/feature";

/** gateway is the last column: what is for the gateway itself. */
export const gateway = "gateway";

/** cellsOf finds the cell between two places. */
export function cellsOf(cells: FirewallCell[]) {
	const byPair = new Map(cells.map((cell) => [`${cell.src} ${cell.dst}`, cell]));
	return (src: string, dst: string) => byPair.get(`${src} ${dst}`);
}

/** allBut says whether it is shorter to name what does not pass. */
const allBut = ({ service_count, except_count }: FirewallCell) => except_count > 0 && except_count < service_count;

/** wordsOf says in a few words what of the traffic passes. */
export function wordsOf(cell: FirewallCell, t: Translate): string {
	if (cell.reach !== "some") return t(`matrix.reach.${cell.reach}`);
	if (cell.except_count === 0) return t("matrix.someAddresses");
	return allBut(cell)
		? t("matrix.allBut", { count: cell.except_count })
		: t("matrix.some", { count: cell.service_count });
}

/** remarkOf is what stands below them: why there is no traffic, or that it is not for everybody. */
export function remarkOf(cell: FirewallCell, t: Translate): string {
	if (cell.reason) return t(`matrix.reason.${cell.reason}`);
	return cell.reach === "some" && cell.some_addresses && cell.except_count > 0 ? t("matrix.narrow") : "";
}

/** Listed are services with what is said before them, and how many there are beside those. */
export interface Listed {
	title: string;
	services: string[];
	more: number;
}

/** listOf are the services of a cell: those that pass, or those that do not where these are fewer. */
export function listOf(cell: FirewallCell, t: Translate): Listed | undefined {
	if (cell.reach !== "some" || cell.except_count === 0) return undefined;
	const but = allBut(cell);
	const services = but ? cell.except : cell.services;
	const count = but ? cell.except_count : cell.service_count;
	return {
		title: t(but ? "matrix.exceptList" : "matrix.serviceList"),
		services: services.map((service) => (service === "other" ? t("matrix.other") : service)),
		more: count - services.length,
	};
}

/** startBetween is what a new rule between the two begins with. Only rules to any zone match what is for the gateway. */
export const startBetween = ({ src, dst }: FirewallCell) => ({
	src_zone: src,
	dst_zone: dst === gateway ? "any" : dst,
});
