import { zUserInput } from "@api/schemas";
import type { FormSpec } from "@ui";

export const form: FormSpec = {
	schema: zUserInput,
	fields: [
		{ name: "email" },
		{ name: "role" },
		{ name: "password", only: "create", required: true, strength: true },
		{ name: "active" },
	],
};
