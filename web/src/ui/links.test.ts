import type { SysInterface } from "@api";
import { expect, test } from "vitest";
import type { History } from "./history";
import { linkState, rx, tx, withInterfaces } from "./links";

const link = (over: Partial<SysInterface> = {}) =>
	({ ifname: "eth0", ifindex: 2, rx_bytes: 0, tx_bytes: 0, ...over }) as SysInterface;

test("a link that is on may lack its cable", () => {
	const link = (...flags: string[]) => linkState({ flags } as SysInterface);
	expect(link("UP", "LOWER_UP")).toBe("up");
	expect(link("UP", "BROADCAST")).toBe("noCarrier");
	expect(link("BROADCAST")).toBe("down");
});

test("links have a rate in both directions", () => {
	let history: History<SysInterface[]> = withInterfaces(undefined, [link()], 1000);
	expect(history.points.at(-1)?.values).toEqual({});
	history = withInterfaces(history, [link({ rx_bytes: 2_000, tx_bytes: 400 })], 1002);
	expect(history.points.at(-1)?.values).toEqual({ [rx("eth0")]: 1_000, [tx("eth0")]: 200 });
});

test("a link whose counters start anew, and a new link of the same name, have no rate for one look", () => {
	const before = withInterfaces(undefined, [link({ rx_bytes: 9_000, tx_bytes: 10 })], 1000);
	const reset = withInterfaces(before, [link({ rx_bytes: 5, tx_bytes: 12 })], 1002);
	expect(reset.points.at(-1)?.values).toEqual({ [rx("eth0")]: null, [tx("eth0")]: 1 });
	const replaced = withInterfaces(before, [link({ ifindex: 3, rx_bytes: 99_000 })], 1002);
	expect(replaced.points.at(-1)?.values).toEqual({});
});
