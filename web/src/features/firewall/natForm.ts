import { zFirewallNatRuleInput } from "@api/schemas";
import type { FormSpec } from "@ui";
import { useSourceZones } from "./requests";

const dnat = { kind: ["dnat"] };
const outward = { kind: ["snat", "masquerade"] };
const ported = { protocol: ["tcp", "udp"] };

export const form: FormSpec = {
	schema: zFirewallNatRuleInput,
	fields: [
		{ name: "name", focus: true, section: "rule" },
		{ name: "kind", initial: "dnat", section: "rule" },
		{ name: "enabled", initial: true, wide: true, section: "rule" },
		{ name: "in_zone", kind: "choice", useChoices: useSourceZones, when: dnat, section: "match" },
		{ name: "out_zone", kind: "choice", useChoices: useSourceZones, when: outward, section: "match" },
		{ name: "protocol", initial: "tcp", section: "match" },
		{ name: "source_cidr", section: "match" },
		{ name: "destination_cidr", section: "match" },
		{ name: "dest_port", narrow: true, when: ported, section: "match" },
		{ name: "dest_port_end", narrow: true, when: ported, section: "match" },
		{ name: "target_address", required: true, when: { kind: ["dnat", "snat"] }, section: "translation" },
		{ name: "pass", initial: true, when: dnat, section: "translation" },
		{ name: "target_port", narrow: true, when: { ...dnat, ...ported }, section: "translation" },
		{ name: "target_port_end", narrow: true, when: { ...dnat, ...ported }, section: "translation" },
		{ name: "labels", lines: true, required: false, wide: true, section: "advanced" },
		{ name: "note", kind: "textarea", section: "advanced" },
	],
};
