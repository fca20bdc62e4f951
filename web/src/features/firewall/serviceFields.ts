import type { Field } from "@ui";
import * as z from "zod/mini";
import { serviceGroupSource, serviceSource } from "./sources";

/** serviceKinds is the question that stands for two ids of the API. */
export const serviceKinds = z.enum(["any", "object", "group"]);

/** serviceFields ask what it is about. */
export const serviceFields: Field[] = [
	{ name: "service_kind", initial: "any" },
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
