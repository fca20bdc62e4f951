import { zNetworkRouteInput } from "@api/schemas";
import type { FormSpec } from "@ui";
import { useLinkNames } from "./choices";

const unicast = { type: ["unicast"] };

export const form: FormSpec = {
	schema: zNetworkRouteInput,
	fields: [
		{ name: "destination", focus: true, section: "route" },
		{ name: "type", initial: "unicast", section: "route" },
		{ name: "gateway", when: unicast, section: "route" },
		{ name: "dev", useChoices: useLinkNames, when: unicast, section: "route" },
		{ name: "active", initial: true, wide: true, section: "route" },
		{ name: "comment", wide: true, section: "route" },
		{ name: "metric", narrow: true, section: "advanced" },
		{ name: "table_name", initial: "main", narrow: true, section: "advanced" },
		{ name: "onlink", when: unicast, section: "advanced" },
	],
};
