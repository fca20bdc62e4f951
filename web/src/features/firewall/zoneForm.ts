import { zFirewallZoneInput } from "@api/schemas";
import type { FormSpec } from "@ui";

export const form: FormSpec = {
	schema: zFirewallZoneInput,
	fields: [
		{ name: "name", focus: true, section: "zone" },
		{ name: "description", section: "zone" },
	],
};
