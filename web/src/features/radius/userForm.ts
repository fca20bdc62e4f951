import { zRadiusUserInputWritable } from "@api/schemas";
import type { FormSpec } from "@ui";

export const form: FormSpec = {
	schema: zRadiusUserInputWritable,
	fields: [
		{ name: "name", focus: true, section: "user" },
		{
			name: "password",
			kind: "password",
			required: true,
			only: "create",
			autoComplete: "new-password",
			section: "user",
		},
		{
			name: "password",
			kind: "password",
			required: false,
			only: "edit",
			autoComplete: "new-password",
			section: "user",
		},
		{ name: "enabled", initial: true, section: "user" },
		{ name: "vlan", narrow: true, required: false, section: "user" },
		{ name: "description", kind: "textarea", required: false, section: "advanced" },
	],
};
