import { zDnsZoneInput } from "@api/schemas";
import type { FormSpec } from "@ui";

export const form: FormSpec = { schema: zDnsZoneInput, fields: [{ name: "name" }, { name: "forward_to" }] };
