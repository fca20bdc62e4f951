import { zProxyUserInputWritable } from "@api/schemas";
import type { FormSpec } from "@ui";

export const form: FormSpec = {
	schema: zProxyUserInputWritable,
	fields: [
		{ name: "name", focus: true },
		{ name: "password", strength: true },
	],
};
