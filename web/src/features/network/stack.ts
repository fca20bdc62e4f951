import type { NetworkInterface, SysInterface } from "@api";

/** Part is an interface in the drawing: configured, in the kernel, or only named by one that is built on it. */
export interface Part {
	name: string;
	row?: NetworkInterface;
	link?: SysInterface;
	/** Names of those that it is built on. */
	lower: string[];
	/** Something is built on it. */
	used: boolean;
}

/** Box is where something stands: in which column, and how far down, in rows. */
export interface Box {
	id: string;
	column: number;
	at: number;
	part?: Part;
	zone?: string;
}

export interface Stack {
	boxes: Box[];
	/** From what is below to what is built on it, or to its zone. */
	lines: { from: Box; to: Box }[];
	rows: number;
}

const lowerOf = ({ type, name, parent, members }: NetworkInterface) =>
	[...new Set(type === "vlan" ? [parent] : (members ?? []))].filter((one) => one !== "" && one !== name);

/** partsOf are all interfaces that there are to draw, by name. */
export function partsOf(rows: NetworkInterface[], links: SysInterface[]): Map<string, Part> {
	const parts = new Map<string, Part>();
	for (const row of rows) parts.set(row.name, { name: row.name, row, lower: lowerOf(row), used: false });
	for (const link of links) {
		const known = parts.get(link.ifname);
		if (known) known.link = link;
		else parts.set(link.ifname, { name: link.ifname, link, lower: [], used: false });
	}
	for (const name of [...parts.values()].flatMap((part) => part.lower)) {
		const known = parts.get(name);
		if (known) known.used = true;
		else parts.set(name, { name, lower: [], used: true });
	}
	return parts;
}

/** columnsOf: each stands to the right of all that it is built on. What leads back to itself ends somewhere. */
function columnsOf(parts: Map<string, Part>): Map<string, number> {
	const columns = new Map<string, number>();
	const visit = (name: string): number => {
		const known = columns.get(name);
		if (known !== undefined) return known;
		columns.set(name, 0);
		const below = parts.get(name)?.lower.map(visit) ?? [];
		const column = 1 + Math.max(-1, ...below);
		columns.set(name, column);
		return column;
	};
	for (const name of parts.keys()) visit(name);
	return columns;
}

/** inOrder has those of one zone together, and each after what it is built on. */
function inOrder(parts: Map<string, Part>): Part[] {
	const ordered = new Set<Part>();
	const seen = new Set<string>();
	const visit = (part: Part | undefined) => {
		if (!part || seen.has(part.name)) return;
		seen.add(part.name);
		for (const name of part.lower) visit(parts.get(name));
		ordered.add(part);
	};
	const zoned = ({ row }: Part) => row?.role ?? "\uffff";
	const byZone = [...parts.values()].toSorted(
		(a, b) => zoned(a).localeCompare(zoned(b)) || a.name.localeCompare(b.name, undefined, { numeric: true }),
	);
	for (const part of byZone) visit(part);
	return [...ordered];
}

const mean = (values: number[]) => values.reduce((sum, one) => sum + one, 0) / values.length;

/** placed puts boxes of one column below each other, each as near as can be to the middle of those it comes from. */
function placed(column: number, wanted: { box: Omit<Box, "column" | "at">; from: Box[] }[]): Box[] {
	let next = 0;
	const sorted = wanted
		.map((one, index) => ({ ...one, want: one.from.length > 0 ? mean(one.from.map(({ at }) => at)) : index }))
		.toSorted((a, b) => a.want - b.want);
	return sorted.map(({ box, want }) => {
		const at = Math.max(next, want);
		next = at + 1;
		return { ...box, column, at };
	});
}

/** stackOf is the drawing of the box's interfaces: ports at the left, what is built on them beside, zones at the right. */
export function stackOf(rows: NetworkInterface[], links: SysInterface[]): Stack {
	const parts = partsOf(rows, links);
	const columns = columnsOf(parts);
	const ordered = inOrder(parts);
	const last = Math.max(0, ...columns.values());
	const boxes = new Map<string, Box>();
	const boxesOf = (names: string[]) => names.flatMap((name) => boxes.get(name) ?? []);
	for (let column = 0; column <= last; column++) {
		const here = ordered.filter(({ name }) => columns.get(name) === column);
		const wanted = here.map((part) => ({ box: { id: part.name, part }, from: boxesOf(part.lower) }));
		for (const box of placed(column, wanted)) boxes.set(box.id, box);
	}
	const drawn = [...boxes.values()];
	const zones = [...new Set(ordered.flatMap(({ row }) => row?.role ?? []))];
	const inZone = (zone: string) => drawn.filter(({ part }) => part?.row?.role === zone);
	const zoneBoxes = placed(
		last + 1,
		zones.map((zone) => ({ box: { id: `zone ${zone}`, zone }, from: inZone(zone) })),
	);
	const lines = [
		...drawn.flatMap((to) => boxesOf(to.part?.lower ?? []).map((from) => ({ from, to }))),
		...zoneBoxes.flatMap((to) => inZone(to.zone ?? "").map((from) => ({ from, to }))),
	].filter(({ from, to }) => from.column < to.column);
	const all = [...drawn, ...zoneBoxes];
	return {
		boxes: all,
		lines,
		rows: Math.max(0, ...all.map(({ at }) => at + 1)),
	};
}
