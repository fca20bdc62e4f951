import type { SysInterface } from "@api";
import { expect, test } from "vitest";
import { chosen, toggled } from "./links";

const link = (ifname: string, ...flags: string[]) => ({ ifname, flags }) as SysInterface;

test("loopback and links without a cable are not shown until asked for", () => {
	const links = [link("lo", "RUNNING", "LOOPBACK"), link("eth0", "UP", "LOWER_UP"), link("eth1", "UP")];
	const names = (wanted?: string) => chosen(links, wanted).map((one) => one.ifname);
	expect(names()).toEqual(["eth0"]);
	expect(names("eth1,lo")).toEqual(["lo", "eth1"]);
	expect(chosen([link("lo", "UP", "LOOPBACK"), link("eth1")], undefined)).toHaveLength(1);
});

test("links are switched on and off, but one stays", () => {
	const shown = [link("eth0"), link("eth1")];
	expect(toggled(shown, "lo")).toBe("eth0,eth1,lo");
	expect(toggled(shown, "eth0")).toBe("eth1");
	expect(toggled([link("eth0")], "eth0")).toBe("eth0");
});
