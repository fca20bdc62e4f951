import { zRadiusClientInputWritable } from "@api/schemas";
import type { FormSpec } from "@ui";

export const form: FormSpec = {
	schema: zRadiusClientInputWritable,
	fields: [
		{ name: "name", focus: true, section: "client" },
		{ name: "address", section: "client" },
		{ name: "secret", kind: "password", required: true, only: "create", autoComplete: "off", section: "client" },
		{ name: "secret", kind: "password", required: false, only: "edit", autoComplete: "off", section: "client" },
		{ name: "require_message_authenticator", initial: true, section: "advanced" },
		{ name: "description", kind: "textarea", required: false, section: "advanced" },
	],
};
