import { zForwardproxyAclInput } from "@api/schemas";
import type { FormSpec } from "@ui";
import { methods } from "./acl";

export const form: FormSpec = {
	schema: zForwardproxyAclInput,
	fields: [
		// What happens is the operator's to choose: a rule that nobody meant is the worst one.
		{ name: "action", focus: true, section: "rule" },
		{ name: "type", initial: "domain", section: "rule" },
		{ name: "value", hintBy: "type", optionsBy: { method: methods }, wide: true, section: "rule" },
		{ name: "name", required: false, section: "rule" },
		{ name: "enabled", initial: true, section: "rule" },
		{ name: "only_from", required: false, section: "only" },
		{ name: "only_during", required: false, section: "only" },
		{ name: "description", kind: "textarea", required: false, section: "advanced" },
	],
};
