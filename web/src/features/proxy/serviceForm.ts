import { zProxyPortInput } from "@api/schemas";
import type { FormSpec } from "@ui";
import { useTcpPools } from "./requests";

export const form: FormSpec = {
	schema: zProxyPortInput,
	fields: [
		{ name: "name", focus: true, section: "service" },
		{ name: "port", narrow: true, section: "service" },
		{ name: "backend_id", kind: "choice", useChoices: useTcpPools, section: "service" },
		{ name: "active", initial: true, section: "service" },
		{ name: "allow_from", required: false, wide: true, section: "access" },
	],
};
