import { zFirewallAssertionInput } from "@api/schemas";
import type { FormSpec } from "@ui";
import * as z from "zod/mini";
import { useReachedZones, useSourceZones } from "./requests";
import { serviceFields, serviceKinds } from "./serviceFields";

export const form: FormSpec = {
	schema: z.extend(zFirewallAssertionInput, { service_kind: serviceKinds }),
	useInitial: () => ({ expect: "never", src_zone: "any", dst_zone: "any", service_kind: "any", enabled: true }),
	fields: [
		{ name: "name", focus: true },
		{ name: "expect" },
		{ name: "src_zone", kind: "choice", useChoices: useSourceZones },
		{ name: "src_cidr" },
		{ name: "dst_zone", kind: "choice", useChoices: useReachedZones },
		{ name: "dst_cidr" },
		...serviceFields,
		{ name: "enabled" },
		{ name: "description" },
	],
};
