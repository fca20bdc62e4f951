import { zUplinkInput } from "@api/schemas";
import type { FormSpec } from "@ui";
import { useLinkNames } from "./requests";

const monitored = { monitor: (value: unknown) => value === true };

export const form: FormSpec = {
	schema: zUplinkInput,
	fields: [
		{ name: "name", focus: true, section: "uplink" },
		{ name: "interface", kind: "choice", useChoices: useLinkNames, section: "uplink" },
		{ name: "gateway", required: false, section: "uplink" },
		{ name: "monitor", initial: true, section: "monitor" },
		{ name: "monitor_address", required: false, when: monitored, section: "monitor" },
		{ name: "active", initial: true, section: "advanced" },
		{ name: "family", required: false, section: "advanced" },
		{ name: "interval_ms", narrow: true, section: "advanced" },
		{ name: "window_s", narrow: true, section: "advanced" },
		{ name: "loss_percent_down", narrow: true, section: "advanced" },
		{ name: "rtt_ms_down", narrow: true, section: "advanced" },
		{ name: "hold_s", narrow: true, section: "advanced" },
		{ name: "description", kind: "textarea", required: false, section: "advanced" },
	],
};
