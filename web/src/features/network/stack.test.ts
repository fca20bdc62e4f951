import type { NetworkInterface, SysInterface } from "@api";
import { expect, test } from "vitest";
import { stackOf } from "./stack";

const row = (name: string, type: string, more: object = {}) =>
	({ id: name, name, type, role: null, parent: "", members: [], ...more }) as unknown as NetworkInterface;
const link = (ifname: string) => ({ ifname, flags: ["UP"], addr_info: [] }) as unknown as SysInterface;

const rows = [
	row("bond0", "bond", { members: ["eth1", "eth2"] }),
	row("bond0.20", "vlan", { parent: "bond0", vlan_id: 20 }),
	row("br0", "bridge", { members: ["bond0.20", "eth3"], role: "lan" }),
	row("eth0", "ethernet", { role: "wan" }),
];

test("each stands to the right of what it is built on, and zones at the end", () => {
	const { boxes } = stackOf(rows, [link("eth0"), link("eth1"), link("eth2"), link("eth9")]);
	const columnOf = (id: string) => boxes.find((box) => box.id === id)?.column;
	expect(["eth0", "eth1", "eth9", "bond0", "bond0.20", "br0", "zone lan", "zone wan"].map(columnOf)).toEqual([
		0, 0, 0, 1, 2, 3, 4, 4,
	]);
	// A member that neither is configured nor exists is drawn too: it is what is missing.
	expect(boxes.find((box) => box.id === "eth3")?.part).toEqual({ name: "eth3", lower: [], used: true });
});

test("lines lead from what is below to what is above, and to the zone", () => {
	const { lines } = stackOf(rows, []);
	expect(lines.map(({ from, to }) => `${from.id} > ${to.id}`).toSorted()).toEqual([
		"bond0 > bond0.20",
		"bond0.20 > br0",
		"br0 > zone lan",
		"eth0 > zone wan",
		"eth1 > bond0",
		"eth2 > bond0",
		"eth3 > br0",
	]);
});

test("no two boxes stand at the same place", () => {
	const { boxes } = stackOf(rows, [link("eth5"), link("eth6")]);
	for (const a of boxes)
		for (const b of boxes)
			if (a !== b && a.column === b.column) expect(Math.abs(a.at - b.at), `${a.id} ${b.id}`).toBeGreaterThanOrEqual(1);
});

test("what leads back to itself is drawn without a line back", () => {
	const { boxes, lines } = stackOf(
		[row("a", "bridge", { members: ["b"] }), row("b", "bridge", { members: ["a", "b"] })],
		[],
	);
	expect(boxes.map((box) => box.id).toSorted()).toEqual(["a", "b"]);
	expect(lines).toHaveLength(1);
});
