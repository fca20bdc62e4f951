import {
	type FirewallAddress,
	type FirewallGroup,
	type FirewallRule,
	type FirewallService,
	getFirewallAddressGroup,
	getFirewallAddressObject,
	getFirewallRule,
	getFirewallService,
	getFirewallServiceGroup,
	type ListQuery,
	listFirewallAddressGroups,
	listFirewallAddressObjects,
	listFirewallRules,
	listFirewallServiceGroups,
	listFirewallServices,
} from "@api";
import type { Choice, ChoiceSource } from "@ui";
import { nameText, readAddress, readService } from "./typed";

const shown = 20;

interface Named {
	id: string;
	name: string;
}

interface Kind<R extends Named> {
	key: string;
	list: (options: { query: ListQuery; signal: AbortSignal }) => Promise<{ data: R[] }>;
	get: (options: { path: { id: string }; signal: AbortSignal }) => Promise<{ data: R }>;
	hint: (row: R) => string;
}

function sourceOf<R extends Named>({ key, list, get, hint }: Kind<R>): ChoiceSource {
	const choice = (row: R): Choice => ({ value: row.id, label: row.name, hint: hint(row) });
	return {
		key,
		tag: "firewall",
		find: async (text, signal) =>
			(await list({ query: { q: text || undefined, limit: shown, sort: "name" }, signal })).data.map(choice),
		name: async (value, signal) => (await get({ path: { id: value }, signal })).data.name,
	};
}

/** portsOf is a service's protocol with its ports or type: "tcp 80", "udp 1024-2048", "icmp 8". */
export function portsOf({ protocol, port, port_end, icmp_type }: ServicePorts): string {
	const ports = port && port_end && port_end !== port ? `${port}-${port_end}` : port;
	return [protocol, ports ?? icmp_type].filter((part) => part !== null && part !== undefined).join(" ");
}

type ServicePorts = Pick<FirewallService, "protocol" | "port" | "port_end" | "icmp_type">;

/** typing puts several sources together; what is chosen is typed by its name. */
const typing = (key: string, sources: ChoiceSource[], literal: (name: string) => boolean): ChoiceSource => ({
	key,
	tag: "firewall",
	find: async (text, signal) => {
		const found = await Promise.all(sources.map((source) => source.find(text, signal)));
		return found.flat().map((choice) => ({ ...choice, value: nameText(choice.label, literal(choice.label)) }));
	},
	name: async (value) => value,
});

/** There may be a hundred thousand addresses, so the server looks for them. */
export const addressSource = sourceOf<FirewallAddress>({
	key: "addresses",
	list: listFirewallAddressObjects,
	get: getFirewallAddressObject,
	hint: (address) => address.value,
});

export const groupSource = sourceOf<FirewallGroup>({
	key: "address groups",
	list: listFirewallAddressGroups,
	get: getFirewallAddressGroup,
	hint: (group) => String(group.member_count),
});

export const serviceSource = sourceOf<FirewallService>({
	key: "services",
	list: listFirewallServices,
	get: getFirewallService,
	hint: portsOf,
});

export const serviceGroupSource = sourceOf<FirewallGroup>({
	key: "service groups",
	list: listFirewallServiceGroups,
	get: getFirewallServiceGroup,
	hint: (group) => String(group.member_count),
});

/** addressNames completes what is typed as the source or destination of a rule. */
export const addressNames = typing("address names", [addressSource, groupSource], (name) => {
	const read = readAddress(name);
	return Boolean(read) && read?.kind !== "fqdn";
});

/** serviceNames completes what is typed as the service of a rule. */
export const serviceNames = typing("service names", [serviceSource, serviceGroupSource], (name) =>
	Boolean(readService(name)),
);

export const ruleSource = sourceOf<FirewallRule>({
	key: "rules",
	list: listFirewallRules,
	get: getFirewallRule,
	hint: (rule) => `${rule.src_zone} → ${rule.dst_zone}`,
});
