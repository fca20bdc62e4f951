import { zCertInputWritable } from "@api/schemas";
import type { FormSpec } from "@ui";
import { useProviderChoices } from "./requests";

const acme = { source: ["acme"] };
const upload = { source: ["upload"] };

export const form: FormSpec = {
	schema: zCertInputWritable,
	fields: [
		{ name: "source", initial: "acme", wide: true, section: "certificate" },
		{ name: "names", hintBy: "source", wide: true, section: "certificate" },
		{ name: "challenge", initial: "http-01", when: acme, section: "validation" },
		{
			name: "dns_provider_id",
			kind: "choice",
			required: true,
			useChoices: useProviderChoices,
			when: { ...acme, challenge: ["dns-01"] },
			section: "validation",
		},
		{ name: "certificate", kind: "textarea", when: upload, section: "files" },
		{ name: "private_key", kind: "textarea", when: upload, section: "files" },
		{ name: "key_type", initial: "ecdsa-p256", when: { source: ["acme", "self_signed"] }, section: "advanced" },
	],
};
