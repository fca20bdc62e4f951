import { zFirewallServiceInput } from "@api/schemas";
import type { FormSpec } from "@ui";

const ported = { protocol: ["tcp", "udp", "sctp"] };

export const form: FormSpec = {
	schema: zFirewallServiceInput,
	fields: [
		{ name: "name", focus: true, section: "service" },
		{ name: "protocol", initial: "tcp", section: "service" },
		{ name: "port", narrow: true, when: ported, section: "service" },
		{ name: "port_end", narrow: true, when: ported, section: "service" },
		{ name: "icmp_type", narrow: true, when: { protocol: ["icmp", "icmpv6"] }, section: "service" },
		{ name: "description", wide: true, section: "service" },
	],
};
