import { zDnsRecordInput } from "@api/schemas";
import type { FormSpec } from "@ui";
import { useZoneChoices } from "./requests";

export const form: FormSpec = {
	schema: zDnsRecordInput,
	initial: { type: "A", ttl: 3600 },
	fields: [
		{ name: "zone_id", kind: "choice", useChoices: useZoneChoices },
		{ name: "name", focus: true },
		{ name: "type" },
		{ name: "value", hintBy: "type" },
		{ name: "ttl", narrow: true },
	],
};
