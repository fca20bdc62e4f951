import {
	getFirewallAddressObject,
	type ListQuery,
	listFirewallAddressGroups,
	listFirewallAddressObjects,
	listFirewallServiceGroups,
	listFirewallServices,
} from "@api";
import { fitting, type Known } from "./resolve";
import { learn } from "./risk";
import { readAddress, readServices, serviceText, tokensOf } from "./typed";

/** Typed is what an operator typed into a rule. */
export interface Typed {
	source: string;
	destination: string;
	service: string;
}

type List<R> = (options: { query: ListQuery; signal?: AbortSignal }) => Promise<{ data: R[] }>;

const most = 1000;

/** found are the rows that have one of the texts in them, each once. */
async function found<R extends { id: string }>(list: List<R>, texts: string[], signal?: AbortSignal): Promise<R[]> {
	const asked = [...new Set(texts)];
	const answers = await Promise.all(asked.map((q) => list({ query: { q, limit: most, sort: "name" }, signal })));
	return [...new Map(answers.flatMap(({ data }) => data).map((row) => [row.id, row])).values()];
}

/** wordsIn are the entries of a list as they are typed and as they are stored. One network alone needs no object. */
function wordsIn(text: string): string[] {
	const tokens = tokensOf(text);
	const values = tokens.map((token) => (token.quoted ? undefined : readAddress(token.text)));
	const alone = values.length === 1 && ["host", "network"].includes(values[0]?.kind ?? "");
	return alone ? [] : tokens.flatMap((token, at) => [token.text, values[at]?.value ?? token.text]);
}

/** joined is the name that a group of these entries would have. */
function joined(text: string, values: Map<string, string>): string[] {
	const tokens = tokensOf(text);
	const list = tokens.map((token) => values.get(token.text) ?? readAddress(token.text)?.value ?? token.text);
	return tokens.length > 1 ? [fitting(list.toSorted().join(", "))] : [];
}

/** lookUp asks the server for all that a rule may refer to. */
export async function lookUp({ source, destination, service }: Typed, signal?: AbortSignal): Promise<Known> {
	const sides = [source, destination];
	const names = sides.flatMap(wordsIn);
	const [addresses, services] = await Promise.all([
		found(listFirewallAddressObjects, names, signal),
		service.trim() === "" ? [] : found(listFirewallServices, [""], signal),
	]);
	const values = new Map(addresses.map((one) => [one.name, one.value]));
	const listed = readServices(service).map(
		(token) => token.service ?? services.find((one) => one.name === token.text) ?? { protocol: token.text },
	);
	const group = listed.length > 1 ? [fitting(listed.map(serviceText).toSorted().join(", "))] : [];
	const [addressGroups, serviceGroups] = await Promise.all([
		found(listFirewallAddressGroups, [...names, ...sides.flatMap((side) => joined(side, values))], signal),
		found(listFirewallServiceGroups, [...tokensOf(service).map((token) => token.text), ...group], signal),
	]);
	const known = { addresses, addressGroups, services, serviceGroups };
	const members = await membersOf(known, names, signal);
	learn([...addresses, ...members], addressGroups);
	return { ...known, addresses: [...addresses, ...members] };
}

/** A sentence tells the members of a group as small as that. */
const small = 5;

/** How every address of a family is stored. */
const whole = ["/0", "0.0.0.0-255.255.255.255", "::-ffff:"];

/** membersOf are the objects of small groups that are named; of a larger one, those that may be every address. */
async function membersOf({ addresses, addressGroups }: Known, names: string[], signal?: AbortSignal) {
	const groups = addressGroups.filter((group) => names.includes(group.name));
	const isNew = (id: string) => !addresses.some((one) => one.id === id);
	const ids = groups.filter((group) => group.member_count <= small).flatMap((group) => group.members ?? []);
	const large = new Set(groups.filter((group) => group.member_count > small).flatMap((group) => group.members ?? []));
	const wide = large.size > 0 ? await found(listFirewallAddressObjects, whole, signal) : [];
	const missing = [...new Set(ids)].filter(isNew);
	const few = await Promise.all(
		missing.map(async (id) => (await getFirewallAddressObject({ path: { id }, signal })).data),
	);
	return [...few, ...wide.filter(({ id }) => large.has(id) && isNew(id) && !missing.includes(id))];
}
