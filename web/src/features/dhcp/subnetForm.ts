import { zDhcpSubnetInput } from "@api/schemas";
import type { FormSpec } from "@ui";
import { FromInterface } from "./FromInterface";
import { useInterfaceChoices } from "./requests";

export const form: FormSpec = {
	schema: zDhcpSubnetInput,
	Summary: FromInterface,
	fields: [
		{ name: "interface", kind: "choice", useChoices: useInterfaceChoices, section: "network" },
		{ name: "subnet", focus: true, section: "network" },
		{ name: "pools", required: false, section: "network" },
		{ name: "gateway", required: false, section: "clients" },
		{ name: "dns_servers", required: false, section: "clients" },
		{ name: "domain", required: false, section: "clients" },
		{ name: "dns_names", section: "clients" },
		{ name: "lease_time", initial: 86_400, unit: "seconds", presets: [3600, 86_400, 604_800], section: "clients" },
		{ name: "ntp_servers", required: false, section: "advanced" },
		{ name: "options", required: false, lines: true, section: "advanced" },
		{ name: "active", initial: true, section: "advanced" },
		{ name: "description", section: "advanced" },
	],
};
