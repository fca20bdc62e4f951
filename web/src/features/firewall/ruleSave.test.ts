import type { FirewallRule } from "@api";
import { expect, test } from "vitest";
import { keptOf } from "./ruleSave";

const before = {
	src_kind: "group",
	src_group_id: "g1",
	src_object_id: null,
	src_cidr: "",
	dst_kind: "any",
	service_group_id: "ping",
	service_object_id: null,
} as unknown as FirewallRule;

test("what nobody typed over stays what it was, whoever else has its name", () => {
	const was = { source: "servers", destination: "", service: "Ping" };
	expect(keptOf(before, was, was)).toEqual({
		source: { src_kind: "group", src_group_id: "g1" },
		service: { service_group_id: "ping" },
	});
	expect(keptOf(before, was, { source: "lan", destination: "", service: "tcp/22" })).toEqual({});
});
