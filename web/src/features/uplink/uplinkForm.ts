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
		{ name: "interval_ms", initial: 100, unit: "milliseconds", presets: [100, 500, 1000], section: "advanced" },
		{ name: "window_s", initial: 2, unit: "seconds", presets: [2, 10, 30], section: "advanced" },
		{ name: "loss_percent_down", initial: 15, unit: "percent", presets: [5, 15, 30], section: "advanced" },
		{ name: "rtt_ms_down", initial: 300, unit: "milliseconds", presets: [0, 150, 300, 1000], section: "advanced" },
		{ name: "hold_s", initial: 10, unit: "seconds", presets: [10, 60, 300], section: "advanced" },
		{ name: "description", kind: "textarea", required: false, section: "advanced" },
	],
};
