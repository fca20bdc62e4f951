import { zNtpPoolInput } from "@api/schemas";
import type { FormSpec } from "@ui";

export const form: FormSpec = {
	schema: zNtpPoolInput,
	fields: [
		{ name: "address", focus: true, section: "source" },
		{ name: "kind", initial: "pool", section: "source" },
		{ name: "prefer", section: "source" },
		{ name: "iburst", initial: true, section: "advanced" },
		{ name: "minpoll", unit: "powers", presets: [4, 6, 8], section: "advanced" },
		{ name: "maxpoll", unit: "powers", presets: [6, 8, 10], section: "advanced" },
	],
};
