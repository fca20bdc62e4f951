import { zNtpPoolInput } from "@api/schemas";
import type { FormSpec } from "@ui";

export const form: FormSpec = {
	schema: zNtpPoolInput,
	useInitial: () => ({ kind: "pool", iburst: true }),
	fields: [
		{ name: "kind" },
		{ name: "address", focus: true },
		{ name: "iburst" },
		{ name: "prefer" },
		{ name: "minpoll", narrow: true },
		{ name: "maxpoll", narrow: true },
	],
};
