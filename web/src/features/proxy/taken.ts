import { listProxyBackends, listProxyDomains, queryClient } from "@api";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { ascii } from "@ui/hostName";
import { hostOf, isSiteName, poolName, type Step, type Values } from "./publish";

/** Wanted is a name that a new object is to have, and no other of its kind may. */
export interface Wanted {
	noun: "domain" | "backend";
	name: string;
}

/** Holder has that name already. */
export interface Holder {
	path: string;
	name: string;
	/** By way of its www redirect. */
	redirects: boolean;
}

/** Whoever goes on does not wait longer for an answer; the server asks once more in the end. */
const patience = 3_000;

/** wantedAt is the name that a step of the wizard asks for; undefined for none. */
export function wantedAt(step: Step, values: Values): Wanted | undefined {
	const host = hostOf(values.name);
	if (step === "name" && isSiteName(host)) return { noun: "domain", name: ascii(host) };
	if (step === "where" && values.where === "new") return { noun: "backend", name: poolName(values) };
	return undefined;
}

async function domainNamed(name: string, signal: AbortSignal) {
	const { data } = await listProxyDomains({ query: { filter: `name:${name}`, limit: 1 }, signal });
	return data.find((one) => one.name === name);
}

/** domainAt is the domain that answers for a name, itself or by its redirect between the names with and without www. */
async function domainAt(name: string, signal: AbortSignal): Promise<Holder | null> {
	const own = await domainNamed(name, signal);
	if (own) return { path: `/proxy/sites/${own.id}`, name, redirects: false };
	const bare = name.startsWith("www.") ? await domainNamed(name.slice("www.".length), signal) : undefined;
	if (!bare || bare.www_redirect === "off") return null;
	return { path: `/proxy/sites/${bare.id}`, name: bare.name, redirects: true };
}

async function backendAt(name: string, signal: AbortSignal): Promise<Holder | null> {
	const { data } = await listProxyBackends({ query: { filter: `name:${name}`, limit: 1 }, signal });
	const own = data.find((one) => one.name === name);
	return own ? { path: `/proxy/pools/${own.id}`, name, redirects: false } : null;
}

const holderOptions = (wanted: Wanted | undefined) =>
	queryOptions({
		// With the tag, so that who deletes the one that has the name is free to go on.
		queryKey: [{ tags: ["proxy"], wanted }],
		queryFn: ({ signal }) => {
			if (!wanted) return null;
			const end = AbortSignal.any([signal, AbortSignal.timeout(patience)]);
			return wanted.noun === "domain" ? domainAt(wanted.name, end) : backendAt(wanted.name, end);
		},
		enabled: Boolean(wanted),
		retry: false,
		staleTime: 5_000,
	});

/** useHolder is who has a name; undefined for nobody, and while that is not known. */
export const useHolder = (wanted: Wanted | undefined): Holder | undefined =>
	useQuery(holderOptions(wanted)).data ?? undefined;

/** holderOf is the same, asked once. An API that does not answer keeps nobody from going on. */
export const holderOf = (wanted: Wanted): Promise<Holder | undefined> =>
	queryClient.fetchQuery(holderOptions(wanted)).then(
		(found) => found ?? undefined,
		() => undefined,
	);
