import { zProxyHeaderInput } from "@api/schemas";
import type { FormSpec } from "@ui";

export const form: FormSpec = { schema: zProxyHeaderInput, fields: [{ name: "name", focus: true }, { name: "value" }] };
