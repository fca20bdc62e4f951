import { zUplinkMemberInput } from "@api/schemas";
import type { FormSpec } from "@ui";
import { useGroupChoices, useUplinkChoices } from "./requests";

export const form: FormSpec = {
	schema: zUplinkMemberInput,
	fields: [
		{ name: "group_id", kind: "choice", useChoices: useGroupChoices, focus: true, section: "member" },
		{ name: "uplink_id", kind: "choice", useChoices: useUplinkChoices, section: "member" },
		{ name: "tier", initial: 1, narrow: true, section: "member" },
		{ name: "weight", initial: 1, narrow: true, section: "member" },
	],
};
