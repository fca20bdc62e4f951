import type { FirewallCell } from "@api";

/** Look of a cell: what the rules that are about it decide as a whole. */
export type Look = "accept" | "mixed" | "deny" | "default";

/** any is every zone; as a destination it is also the gateway itself, which no other one is. */
export const any = "any";

/** Field of the matrix: the rules between two zones, and beside them those for any zone. */
export interface Field {
	look: Look;
	/** Rules of its own, and those for any zone that are about it too. */
	own: number;
	more: number;
}

/** lookOf calls a field allowed or denied only when a rule is about all of it: one port of one machine is neither. */
function lookOf(accept: number, deny: number, whole: number): Look {
	if (accept + deny === 0) return "default";
	if (whole === 0) return "mixed";
	if (deny === 0) return "accept";
	return accept === 0 ? "deny" : "mixed";
}

const sum = (cells: FirewallCell[], of: "rules" | "accept" | "deny" | "whole") =>
	cells.reduce((all, cell) => all + cell[of], 0);

/** fieldsOf finds what is decided from one zone to another. */
export function fieldsOf(cells: FirewallCell[]) {
	return (src: string, dst: string): Field => {
		const about = cells.filter((cell) => [src, any].includes(cell.src) && [dst, any].includes(cell.dst));
		const own = about.filter((cell) => cell.src === src && cell.dst === dst);
		return {
			look: lookOf(sum(about, "accept"), sum(about, "deny"), sum(about, "whole")),
			own: sum(own, "rules"),
			more: sum(about, "rules") - sum(own, "rules"),
		};
	};
}

/** sidesOf are the rows and the columns: any zone first, then each. */
export const sidesOf = (zones: string[]) => [any, ...zones.filter((zone) => zone !== any)];
