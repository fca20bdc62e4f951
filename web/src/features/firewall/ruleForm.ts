import { useStore } from "@api";
import { zFirewallRuleInput } from "@api/schemas";
import { type FormSpec, useUrlState } from "@ui";
import * as z from "zod/mini";
import { RuleSentence } from "./RuleSentence";
import { useSourceZones, useTargetZones, useUplinkChoices } from "./requests";
import { isEverywhere, wholeNames } from "./risk";
import { startOf } from "./rule";
import { addressNames, serviceNames } from "./sources";

const text = z.optional(z.string().check(z.maxLength(4000)));

/** Accepting everything from everywhere is asked for twice. */
const everything = {
	action: ["accept"],
	src_zone: ["any"],
	dst_zone: ["any"],
	source: isEverywhere,
	destination: isEverywhere,
};

export const form: FormSpec = {
	schema: z.extend(zFirewallRuleInput, {
		source: text,
		destination: text,
		service: text,
		sure: z.optional(z.literal(true)),
	}),
	useInitial: () => {
		useStore(wholeNames); // what a name stands for is known a moment after it was typed
		return startOf(useUrlState()[0]);
	},
	Summary: RuleSentence,
	fields: [
		{ name: "name", focus: true, section: "rule" },
		{ name: "action", section: "rule" },
		{ name: "src_zone", kind: "choice", useChoices: useSourceZones, required: true, section: "traffic" },
		{ name: "dst_zone", kind: "choice", useChoices: useTargetZones, required: true, section: "traffic" },
		{ name: "source", kind: "tokens", source: addressNames, section: "traffic" },
		{ name: "destination", kind: "tokens", source: addressNames, section: "traffic" },
		{ name: "service", kind: "tokens", source: serviceNames, wide: true, section: "traffic" },
		{ name: "sure", kind: "switch", when: everything, wide: true, section: "traffic" },
		{ name: "enabled", initial: true, section: "options" },
		{ name: "log", section: "options" },
		{
			name: "uplink_group_id",
			kind: "choice",
			useChoices: useUplinkChoices,
			when: { action: ["accept"] },
			section: "advanced",
		},
		{ name: "comment", section: "advanced" },
		{ name: "expires_at", kind: "moment", section: "advanced" },
		{ name: "labels", lines: true, required: false, wide: true, section: "advanced" },
		{ name: "note", kind: "textarea", section: "advanced" },
	],
};
