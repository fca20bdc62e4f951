import { zProxyRuleInput } from "@api/schemas";
import type { FormSpec } from "@ui";
import { useSitePools } from "./requests";

export const form: FormSpec = {
	// The site is the one that the page shows.
	schema: zProxyRuleInput,
	fields: [
		{ name: "path_prefix", focus: true },
		{ name: "backend_id", kind: "choice", useChoices: useSitePools },
		{ name: "active", initial: true },
	],
};
