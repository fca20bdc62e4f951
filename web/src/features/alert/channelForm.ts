import { zAlertChannelInputWritable, zAlertSettingsWritable } from "@api/schemas";
import type { FormSchema, FormSpec } from "@ui";
import * as z from "zod/mini";
import { useKindChoices } from "./requests";

const hook = { kind: ["webhook"] };
const mail = { kind: ["email"] };
const formats = (...format: string[]) => ({ ...hook, format });

export const form: FormSpec = {
	schema: z.object({ ...zAlertChannelInputWritable.shape, ...zAlertSettingsWritable.shape }) as FormSchema,
	fields: [
		{ name: "kind", focus: true, initial: "webhook", section: "channel" },
		{ name: "target", hintBy: "kind", section: "channel" },
		{ name: "name", required: false, section: "channel" },
		{ name: "format", initial: "generic", when: hook, section: "channel" },
		{ name: "topic", required: true, when: formats("ntfy"), section: "channel" },
		{
			name: "secret",
			kind: "password",
			required: false,
			autoComplete: "off",
			when: formats("generic"),
			section: "channel",
		},
		{
			name: "token",
			kind: "password",
			required: false,
			autoComplete: "off",
			when: formats("generic", "ntfy"),
			section: "channel",
		},
		{ name: "smtp_host", required: true, when: mail, section: "channel" },
		{ name: "smtp_port", required: false, narrow: true, initial: 587, when: mail, section: "channel" },
		{ name: "use_tls", initial: true, when: mail, section: "channel" },
		{ name: "from", required: true, when: mail, section: "channel" },
		{ name: "username", required: false, autoComplete: "off", when: mail, section: "channel" },
		{ name: "password", kind: "password", required: false, autoComplete: "off", when: mail, section: "channel" },
		{ name: "min_severity", initial: "warning", section: "filter" },
		{ name: "kinds", kind: "choices", useChoices: useKindChoices, required: false, section: "filter" },
		{ name: "quiet_hours", required: false, section: "filter" },
		{ name: "active", initial: true, section: "filter" },
	],
};
