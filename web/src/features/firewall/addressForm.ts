import { zFirewallAddressInput } from "@api/schemas";
import type { FormSpec } from "@ui";

export const form: FormSpec = {
	schema: zFirewallAddressInput,
	useInitial: () => ({ kind: "host" }),
	fields: [{ name: "name", focus: true }, { name: "kind" }, { name: "value", hintBy: "kind" }, { name: "description" }],
};
