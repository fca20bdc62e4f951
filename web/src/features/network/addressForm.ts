import { zNetworkAddressInput } from "@api/schemas";
import type { FormSpec } from "@ui";

export const form: FormSpec = {
	schema: zNetworkAddressInput,
	fields: [
		{ name: "address", focus: true, section: "address" },
		{ name: "prefix", narrow: true, section: "address" },
		{ name: "description", wide: true, section: "address" },
		{ name: "is_vip", section: "advanced" },
		{
			name: "vip_priority",
			initial: 100,
			narrow: true,
			when: { is_vip: (on) => on === true },
			section: "advanced",
		},
	],
};
