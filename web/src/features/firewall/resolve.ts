import type { ChangeOperation, FirewallAddress, FirewallGroup, FirewallService } from "@api";
import { shortText } from "./ip";
import { type Address, readAddress, readServices, type Service, serviceText, tokensOf } from "./typed";

/** Known is what the server has of that which is typed: objects by name and value, groups by name. */
export interface Known {
	addresses: Pick<FirewallAddress, "id" | "name" | "kind" | "value">[];
	addressGroups: Pick<FirewallGroup, "id" | "name" | "members" | "member_count">[];
	services: Pick<FirewallService, "id" | "name" | "protocol" | "port" | "port_end" | "icmp_type">[];
	serviceGroups: Pick<FirewallGroup, "id" | "name" | "members" | "member_count">[];
}

/** Ref is what a rule refers to, with the words for it. */
export type Ref =
	| { kind: "any" }
	| { kind: "cidr"; cidr: string; words: string }
	| { kind: "object"; id: string; words: string }
	| { kind: "group"; id: string; words: string };

/** Unknown is a typed entry that is neither a value nor a name. */
export class Unknown extends Error {
	constructor(
		readonly text: string,
		/** unknown: nothing has that name; group: a group stands alone. */
		readonly why: "unknown" | "group",
	) {
		super(text);
	}
}

/** Making is what is made on the fly, in the order in which it is sent. */
export interface Making {
	operations: ChangeOperation[];
	newId: () => string;
}

/** Thing is an object among others. */
interface Thing {
	id: string;
	name: string;
	/** What it is, as it is typed. */
	value: string;
}

const named = (name: string, value: string) => (name === value ? value : `${name} (${value})`);

/** longest is how many members of a group are told. */
const longest = 5;

/** groupWords are a group's name and what is in it; the name alone says it where it is made of that. */
export function groupWords(name: string, values: string[], count: number): string {
	if (values.length !== count || count > longest) return `${name} (${count})`;
	return named(name, values.toSorted().join(", "));
}

/** fitting is a name that is not too long for the server. */
export const fitting = (name: string) => (name.length > 100 ? `${name.slice(0, 90)}…` : name);

/** freeName is the name itself, or the first with a number behind it that nobody has. */
function freeName(name: string, taken: { name: string }[]): string {
	let one = name;
	for (let n = 2; taken.some((other) => other.name === one); n++) one = `${name.slice(0, 90)} (${n})`;
	return one;
}

/** same says whether a group has just these members. */
const same = (group: { members: string[] | null }, ids: string[]) =>
	group.members?.length === ids.length && ids.every((id) => group.members?.includes(id));

/** Kind is what differs between addresses and services. */
interface Kind {
	path: string;
	groups: Known["addressGroups"];
}

/** grouped is the group of several things: the one that was made of them before, or a new one. */
function grouped(things: Thing[], { path, groups }: Kind, making: Making): Ref {
	const [first] = things;
	if (things.length === 1 && first) return { kind: "object", id: first.id, words: named(first.name, first.value) };
	const ids = things.map((thing) => thing.id);
	const values = things.map((thing) => thing.value);
	const name = fitting(values.toSorted().join(", "));
	const found = groups.find((group) => group.name === name && same(group, ids));
	if (found) return { kind: "group", id: found.id, words: groupWords(found.name, values, ids.length) };
	const made = { id: making.newId(), name: freeName(name, groups), members: ids, member_count: ids.length };
	groups.push(made);
	making.operations.push({ method: "POST", path, id: made.id, body: { name: made.name, members: ids } });
	return { kind: "group", id: made.id, words: groupWords(made.name, values, ids.length) };
}

const once = (things: Thing[]) => things.filter(({ id }, at) => things.findIndex((other) => other.id === id) === at);

/** resolveAddresses finds what a typed side of a rule refers to, and makes what is missing. */
export function resolveAddresses(text: string, known: Known, making: Making): Ref {
	const list = tokensOf(text).map((token) => ({
		...token,
		literal: token.quoted ? undefined : literalOf(token.text, known),
	}));
	const [only] = list;
	if (!only) return { kind: "any" };
	if (list.length === 1 && (only.literal?.kind === "host" || only.literal?.kind === "network"))
		return { kind: "cidr", cidr: only.literal.value, words: shortText(only.literal.value) };
	const group = known.addressGroups.find(({ name }) => name === only.text);
	const named = (name: string) => known.addresses.find((one) => one.name === name);
	if (list.length === 1 && !only.literal && !named(only.text) && group)
		return {
			kind: "group",
			id: group.id,
			words: groupWords(group.name, valuesOf(group, known.addresses), group.member_count),
		};
	const things = list.map((token) => {
		if (token.literal) return addressThing(token.literal, known, making);
		const found = named(token.text);
		if (!found) throw new Unknown(token.text, isGroup(token.text, known.addressGroups));
		return found;
	});
	return grouped(once(things), { path: "/firewall/address-groups", groups: known.addressGroups }, making);
}

const isGroup = (text: string, groups: { name: string }[]) =>
	groups.some((group) => group.name === text) ? "group" : "unknown";

/** literalOf reads an address; a host name is one of ours first. */
function literalOf(text: string, { addresses, addressGroups }: Known): Address | undefined {
	const address = readAddress(text);
	const ours = address?.kind === "fqdn" && [...addresses, ...addressGroups].some(({ name }) => name === text);
	return ours ? undefined : address;
}

function addressThing({ kind, value }: Address, known: Known, making: Making): Thing {
	const equal = known.addresses.filter((one) => one.kind === kind && one.value === value);
	const found = equal.find(({ name }) => name === value) ?? equal[0];
	if (found) return found;
	const made = { id: making.newId(), name: freeName(value, known.addresses), kind, value };
	known.addresses.push(made);
	making.operations.push({
		method: "POST",
		path: "/firewall/address-objects",
		id: made.id,
		body: { name: made.name, kind, value },
	});
	return made;
}

/** valuesOf are the members of a group, as far as they are known. */
function valuesOf(group: { members: string[] | null }, things: { id: string; value: string }[]): string[] {
	return (group.members ?? []).flatMap((id) => things.find((one) => one.id === id)?.value ?? []);
}

/** resolveServices finds what a typed list of services refers to, and makes what is missing. */
export function resolveServices(text: string, known: Known, making: Making): Ref {
	const list = readServices(text);
	const things = known.services.map((one) => ({ ...one, value: serviceText(one) }));
	const [only] = list;
	if (!only) return { kind: "any" };
	const group = known.serviceGroups.find(({ name }) => name === only.text);
	const named = (name: string) => things.find((one) => one.name === name);
	if (list.length === 1 && !only.service && !named(only.text) && group)
		return { kind: "group", id: group.id, words: groupWords(group.name, valuesOf(group, things), group.member_count) };
	const found = list.map((token) => {
		if (token.service) return serviceThing(token.service, known, making);
		const one = named(token.text);
		if (!one) throw new Unknown(token.text, isGroup(token.text, known.serviceGroups));
		return one;
	});
	return grouped(once(found), { path: "/firewall/service-groups", groups: known.serviceGroups }, making);
}

function serviceThing(service: Service, known: Known, making: Making): Thing {
	const value = serviceText(service);
	const equal = known.services.filter((one) => serviceText(one) === value);
	const found = equal.find(({ name }) => name === value) ?? equal[0];
	if (found) return { ...found, value };
	const made = { port: null, port_end: null, icmp_type: null, ...service, id: making.newId() };
	const name = freeName(value, known.services);
	known.services.push({ ...made, name } as Known["services"][number]);
	making.operations.push({ method: "POST", path: "/firewall/services", id: made.id, body: { name, ...service } });
	return { id: made.id, name, value };
}
