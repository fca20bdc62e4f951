import { zProxyServerInput } from "@api/schemas";
import type { FormSpec } from "@ui";

export const form: FormSpec = {
	schema: zProxyServerInput,
	useInitial: () => ({ active: true, weight: 100 }),
	fields: [
		{ name: "name", focus: true },
		{ name: "address" },
		{ name: "port", narrow: true },
		{ name: "weight", narrow: true },
		{ name: "active" },
		{ name: "drain" },
		{ name: "backup" },
	],
};
