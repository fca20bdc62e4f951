import type { RestoreLink } from "@api";

type Link = RestoreLink;

/** Mapping says which network card takes the place of which; "" leaves one without a card. */
export type Mapping = Record<string, string>;

/** missingOf are the network cards of the backup that this node does not have. */
export const missingOf = (links: Link[]) => links.filter(({ matches }) => !matches);

/** startOf maps where there is no choice: one is missing, and one is free. */
export function startOf(links: Link[]): Mapping {
	const missing = missingOf(links);
	const only = missing.length === 1 && missing[0]!.candidates.length === 1;
	return Object.fromEntries(missing.map(({ name, candidates }) => [name, only ? candidates[0]! : ""]));
}

/** twiceIn are network cards that would take the place of two. */
export function twiceIn(mapping: Mapping): string[] {
	const taken = Object.values(mapping).filter(Boolean);
	return [...new Set(taken.filter((name, at) => taken.indexOf(name) !== at))];
}

/** sentOf is what the server is told: those that are mapped. */
export const sentOf = (mapping: Mapping): Mapping =>
	Object.fromEntries(Object.entries(mapping).filter(([, to]) => to !== ""));
