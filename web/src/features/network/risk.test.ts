import type { NetworkAddress, NetworkInterface, NetworkRoute } from "@api";
import { expect, test } from "vitest";
import { address, interfaces, routes } from "./fixture";
import { addressRisk, interfaceRisk, routeRisk } from "./risk";

const eth0 = interfaces[0] as unknown as NetworkInterface;
const bond0 = interfaces[1] as unknown as NetworkInterface;
const route = routes[0] as unknown as NetworkRoute;
/** As a form has it: what the row has not is "". */
const formOf = (row: object) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, value ?? ""]));

test("words about an interface cut nobody off, all else may", () => {
	const form = formOf(eth0) as never as Parameters<typeof interfaceRisk>[1];
	expect(interfaceRisk(eth0, form)).toBe(false);
	expect(interfaceRisk(eth0, { ...form!, description: "to the provider" })).toBe(false);
	expect(interfaceRisk(eth0, { ...form!, role: "lan" })).toBe(true);
	expect(interfaceRisk(bond0, { ...(formOf(bond0) as never as typeof form)!, members: ["eth1"] })).toBe(true);
	expect(interfaceRisk(undefined, { name: "eth5", type: "ethernet" })).toBe(false);
	expect(interfaceRisk(undefined, { name: "br5", type: "bridge", members: ["eth0"] })).toBe(true);
	expect(interfaceRisk(bond0, undefined)).toBe(true);
	expect(interfaceRisk({ ...eth0, role: null }, undefined)).toBe(false);
});

test("an address that is added cuts nobody off, one that goes may", () => {
	const row = address as NetworkAddress;
	expect(addressRisk(undefined, { address: "192.0.2.7", prefix: 24 })).toBe(false);
	expect(addressRisk(row, { ...row, description: "new" })).toBe(false);
	expect(addressRisk(row, { ...row, address: "192.0.2.7" })).toBe(true);
	expect(addressRisk(row, undefined)).toBe(true);
});

test("a new default route, and any route that changes, may be the way back", () => {
	expect(routeRisk(undefined, { destination: "10.0.0.0/8" })).toBe(false);
	expect(routeRisk(undefined, { destination: "0.0.0.0/0" })).toBe(true);
	expect(routeRisk(undefined, { destination: "::/0", active: false })).toBe(false);
	const form = formOf(route) as never as Parameters<typeof routeRisk>[1];
	expect(routeRisk(route, { ...form!, comment: "x" })).toBe(false);
	expect(routeRisk(route, { ...form!, gateway: "192.0.2.1" })).toBe(true);
	expect(routeRisk(route, { ...form!, active: false })).toBe(true);
	expect(routeRisk({ ...route, active: false }, undefined)).toBe(false);
});
