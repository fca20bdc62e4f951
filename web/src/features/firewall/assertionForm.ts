import { zFirewallAssertionInput } from "@api/schemas";
import type { FormSpec } from "@ui";
import * as z from "zod/mini";
import { useReachedZones, useSourceZones } from "./requests";
import { serviceFields, serviceKinds } from "./serviceFields";

export const form: FormSpec = {
	schema: z.extend(zFirewallAssertionInput, { service_kind: serviceKinds }),
	fields: [
		{ name: "name", focus: true, section: "assertion" },
		{ name: "expect", initial: "never", section: "assertion" },
		{ name: "src_zone", initial: "any", kind: "choice", useChoices: useSourceZones, section: "traffic" },
		{ name: "src_cidr", section: "traffic" },
		{ name: "dst_zone", initial: "any", kind: "choice", useChoices: useReachedZones, section: "traffic" },
		{ name: "dst_cidr", section: "traffic" },
		...serviceFields.map((field) => ({ ...field, section: "service" })),
		{ name: "enabled", initial: true, section: "options" },
		{ name: "description", section: "options" },
	],
};
