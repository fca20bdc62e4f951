import { zNtpPoolInput } from "@api/schemas";
import type { FormSpec } from "@ui";

export const form: FormSpec = {
	schema: zNtpPoolInput,
	fields: [
		{ name: "address", focus: true, section: "source" },
		{ name: "kind", initial: "pool", section: "source" },
		{ name: "prefer", section: "source" },
		{ name: "iburst", initial: true, section: "advanced" },
		{ name: "minpoll", narrow: true, section: "advanced" },
		{ name: "maxpoll", narrow: true, section: "advanced" },
	],
};
