import { zUplinkGroupInput } from "@api/schemas";
import type { FormSpec } from "@ui";
import { DefaultHint } from "./DefaultHint";
import { useGroups } from "./requests";

export const form: FormSpec = {
	schema: zUplinkGroupInput,
	useInitial,
	Summary: DefaultHint,
	fields: [
		{ name: "name", focus: true, section: "group" },
		{ name: "is_default", section: "group" },
		{ name: "family", initial: "inet", section: "group" },
		{ name: "description", kind: "textarea", required: false, section: "advanced" },
	],
};

/** useInitial makes a group the default where there is none: of each family there is one at most. */
function useInitial() {
	return { is_default: !useGroups().some(({ family, is_default }) => is_default && family === "inet") };
}
