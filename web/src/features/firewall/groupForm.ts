import { zFirewallGroupInput } from "@api/schemas";
import type { FormSpec } from "@ui";

export const form: FormSpec = {
	// Members are put in and taken out on the group's own page.
	schema: zFirewallGroupInput,
	fields: [{ name: "name", focus: true }, { name: "description" }],
};
