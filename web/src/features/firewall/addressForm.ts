import { zFirewallAddressInput } from "@api/schemas";
import type { FormSpec } from "@ui";

export const form: FormSpec = {
	schema: zFirewallAddressInput,
	fields: [
		{ name: "name", focus: true, section: "address" },
		{ name: "kind", initial: "host", section: "address" },
		{ name: "value", hintBy: "kind", section: "address" },
		{ name: "description", section: "address" },
	],
};
