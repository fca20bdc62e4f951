import { zCertInput } from "@api/schemas";
import type { FormSpec } from "@ui";
import { useProviderChoices } from "./requests";

const acme = { source: ["acme"] };
const upload = { source: ["upload"] };

export const form: FormSpec = {
	schema: zCertInput,
	useInitial: () => ({ source: "acme", challenge: "http-01", key_type: "ecdsa-p256" }),
	fields: [
		{ name: "source" },
		{ name: "names", hintBy: "source" },
		{ name: "challenge", when: acme },
		{
			name: "dns_provider_id",
			kind: "choice",
			required: true,
			useChoices: useProviderChoices,
			when: { ...acme, challenge: ["dns-01"] },
		},
		{ name: "certificate", kind: "textarea", when: upload },
		{ name: "private_key", kind: "textarea", when: upload },
		{ name: "key_type", when: { source: ["acme", "self_signed"] } },
	],
};
