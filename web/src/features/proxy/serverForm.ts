import { zProxyServerInput } from "@api/schemas";
import type { FormSpec } from "@ui";

export const form: FormSpec = {
	schema: zProxyServerInput,
	fields: [
		{ name: "name", focus: true, section: "server" },
		{ name: "address", section: "server" },
		{ name: "port", narrow: true, section: "server" },
		{ name: "active", initial: true, section: "server" },
		{ name: "weight", initial: 100, narrow: true, section: "advanced" },
		{ name: "backup", section: "advanced" },
		{ name: "drain", section: "advanced" },
	],
};
