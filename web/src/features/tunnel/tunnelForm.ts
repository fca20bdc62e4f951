import { zTunnelInterfaceInputWritable } from "@api/schemas";
import type { FormSpec } from "@ui";

const server = { mode: ["server"] };

export const form: FormSpec = {
	schema: zTunnelInterfaceInputWritable,
	fields: [
		{ name: "name", focus: true, narrow: true, section: "tunnel" },
		{ name: "mode", initial: "server", section: "tunnel" },
		{ name: "address_cidr", section: "tunnel" },
		{ name: "endpoint", required: false, when: server, section: "peers" },
		{ name: "client_routes", required: false, when: server, section: "peers" },
		{ name: "dns", required: false, when: server, section: "peers" },
		{ name: "active", initial: true, section: "advanced" },
		{ name: "listen_port", narrow: true, section: "advanced" },
		{ name: "mtu", unit: "octets", presets: [1280, 1412, 1420], section: "advanced" },
		{ name: "private_key", kind: "password", required: false, autoComplete: "off", section: "advanced" },
		{ name: "description", kind: "textarea", required: false, section: "advanced" },
	],
};
