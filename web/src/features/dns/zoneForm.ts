import { zDnsZoneInput } from "@api/schemas";
import type { FormSpec } from "@ui";

export const form: FormSpec = {
	schema: zDnsZoneInput,
	fields: [
		{ name: "name", section: "zone" },
		{ name: "forward_to", section: "zone" },
	],
};
