import { zForwardproxyListInput } from "@api/schemas";
import type { FormSpec } from "@ui";

export const form: FormSpec = {
	schema: zForwardproxyListInput,
	fields: [
		{ name: "name", focus: true },
		{ name: "description", kind: "textarea", required: false },
	],
};
