import { zFirewallServiceInput } from "@api/schemas";
import type { FormSpec } from "@ui";

const ported = { protocol: ["tcp", "udp", "sctp"] };

export const form: FormSpec = {
	schema: zFirewallServiceInput,
	useInitial: () => ({ protocol: "tcp" }),
	fields: [
		{ name: "name", focus: true },
		{ name: "protocol" },
		{ name: "port", narrow: true, when: ported },
		{ name: "port_end", narrow: true, when: ported },
		{ name: "icmp_type", narrow: true, when: { protocol: ["icmp", "icmpv6"] } },
		{ name: "description" },
	],
};
