import { zUserInputWritable } from "@api/schemas";
import type { FormSpec } from "@ui";

export const form: FormSpec = {
	schema: zUserInputWritable,
	fields: [
		{ name: "email", section: "account" },
		{ name: "role", section: "account" },
		{ name: "password", only: "create", required: true, strength: true, section: "account" },
		{ name: "active", section: "account" },
	],
};
