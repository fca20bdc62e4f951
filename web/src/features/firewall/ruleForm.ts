import { zFirewallRuleInput } from "@api/schemas";
import { type FormSpec, useUrlState } from "@ui";
import * as z from "zod/mini";
import { RuleSentence } from "./RuleSentence";
import { useSourceZones, useTargetZones } from "./requests";
import { startOf } from "./rule";
import { addressNames, serviceNames } from "./sources";

const text = z.optional(z.string().check(z.maxLength(4000)));

/** Accepting everything from everywhere is asked for twice. */
const everything = { action: ["accept"], src_zone: ["any"], dst_zone: ["any"], source: [""], destination: [""] };

export const form: FormSpec = {
	schema: z.extend(zFirewallRuleInput, {
		source: text,
		destination: text,
		service: text,
		sure: z.optional(z.literal(true)),
	}),
	useInitial: () => startOf(useUrlState()[0]),
	Summary: RuleSentence,
	fields: [
		{ name: "name", focus: true },
		{ name: "action" },
		{ name: "src_zone", kind: "choice", useChoices: useSourceZones, required: true },
		{ name: "source", kind: "tokens", source: addressNames },
		{ name: "dst_zone", kind: "choice", useChoices: useTargetZones, required: true },
		{ name: "destination", kind: "tokens", source: addressNames },
		{ name: "service", kind: "tokens", source: serviceNames },
		{ name: "sure", kind: "switch", when: everything },
		{ name: "log" },
		{ name: "enabled" },
		{ name: "expires_at", kind: "moment" },
		{ name: "comment" },
		{ name: "labels", lines: true, required: false },
		{ name: "note", kind: "textarea" },
	],
};
