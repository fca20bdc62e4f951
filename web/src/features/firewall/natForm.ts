import { zFirewallNatRuleInput } from "@api/schemas";
import type { FormSpec } from "@ui";
import { useSourceZones } from "./requests";

const dnat = { kind: ["dnat"] };
const outward = { kind: ["snat", "masquerade"] };
const ported = { protocol: ["tcp", "udp"] };

export const form: FormSpec = {
	schema: zFirewallNatRuleInput,
	useInitial: () => ({ kind: "dnat", protocol: "tcp", in_zone: "any", out_zone: "any", pass: true, enabled: true }),
	fields: [
		{ name: "name", focus: true },
		{ name: "kind" },
		{ name: "in_zone", kind: "choice", useChoices: useSourceZones, when: dnat },
		{ name: "out_zone", kind: "choice", useChoices: useSourceZones, when: outward },
		{ name: "protocol" },
		{ name: "source_cidr" },
		{ name: "destination_cidr" },
		{ name: "dest_port", narrow: true, when: ported },
		{ name: "dest_port_end", narrow: true, when: ported },
		{ name: "target_address", required: true, when: { kind: ["dnat", "snat"] } },
		{ name: "target_port", narrow: true, when: { ...dnat, ...ported } },
		{ name: "target_port_end", narrow: true, when: { ...dnat, ...ported } },
		{ name: "pass", when: dnat },
		{ name: "enabled" },
		{ name: "labels", lines: true, required: false },
		{ name: "note", kind: "textarea" },
	],
};
