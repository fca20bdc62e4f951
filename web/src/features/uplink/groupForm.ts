import { zUplinkGroupInput } from "@api/schemas";
import type { FormSpec } from "@ui";

export const form: FormSpec = {
	schema: zUplinkGroupInput,
	fields: [
		{ name: "name", focus: true, section: "group" },
		{ name: "is_default", initial: true, section: "group" },
		{ name: "family", initial: "inet", section: "group" },
		{ name: "description", kind: "textarea", required: false, section: "advanced" },
	],
};
