import { zFirewallRuleInput } from "@api/schemas";
import { type Field, type FormSpec, useUrlState } from "@ui";
import * as z from "zod/mini";
import { useSourceZones, useTargetZones } from "./requests";
import { startOf } from "./rule";
import { addressSource, groupSource, serviceGroupSource, serviceSource } from "./sources";

/** serviceKinds is the question that stands for two ids of the API. */
export const serviceKinds = z.enum(["any", "object", "group"]);

/** sideFields ask where packets come from, or go to. */
const sideFields = (side: "src" | "dst"): Field[] => [
	{ name: `${side}_kind` },
	{
		name: `${side}_object_id`,
		kind: "search",
		source: addressSource,
		required: true,
		when: { [`${side}_kind`]: ["object"] },
	},
	{
		name: `${side}_group_id`,
		kind: "search",
		source: groupSource,
		required: true,
		when: { [`${side}_kind`]: ["group"] },
	},
	{ name: `${side}_cidr`, required: true, when: { [`${side}_kind`]: ["cidr"] } },
];

/** serviceFields ask what it is about. */
export const serviceFields: Field[] = [
	{ name: "service_kind" },
	{
		name: "service_object_id",
		kind: "search",
		source: serviceSource,
		required: true,
		when: { service_kind: ["object"] },
	},
	{
		name: "service_group_id",
		kind: "search",
		source: serviceGroupSource,
		required: true,
		when: { service_kind: ["group"] },
	},
];

export const form: FormSpec = {
	schema: z.extend(zFirewallRuleInput, { service_kind: serviceKinds }),
	useInitial: () => startOf(useUrlState()[0]),
	fields: [
		{ name: "name", focus: true },
		{ name: "action" },
		{ name: "src_zone", kind: "choice", useChoices: useSourceZones },
		...sideFields("src"),
		{ name: "dst_zone", kind: "choice", useChoices: useTargetZones },
		...sideFields("dst"),
		...serviceFields,
		{ name: "log" },
		{ name: "enabled" },
		{ name: "expires_at", kind: "moment" },
		{ name: "comment" },
		{ name: "labels", lines: true, required: false },
		{ name: "note", kind: "textarea" },
	],
};
