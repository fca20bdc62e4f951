import { zProxyRuleInput } from "@api/schemas";
import type { FormSpec } from "@ui";
import * as z from "zod/mini";
import { useSitePools } from "./requests";

export const form: FormSpec = {
	// The site is the one that the page shows.
	schema: z.partial(zProxyRuleInput, { domain_id: true }),
	useInitial: () => ({ active: true }),
	fields: [
		{ name: "path_prefix", focus: true },
		{ name: "backend_id", kind: "choice", useChoices: useSitePools },
		{ name: "active" },
	],
};
