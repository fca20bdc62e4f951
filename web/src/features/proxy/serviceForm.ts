import { zProxyPortInput } from "@api/schemas";
import type { FormSpec } from "@ui";
import { useTcpPools } from "./requests";

export const form: FormSpec = {
	schema: zProxyPortInput,
	useInitial: () => ({ active: true }),
	fields: [
		{ name: "name", focus: true },
		{ name: "port", narrow: true },
		{ name: "backend_id", kind: "choice", useChoices: useTcpPools },
		{ name: "allow_from", required: false },
		{ name: "active" },
	],
};
