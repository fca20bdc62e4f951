import {
	type Ask,
	batch,
	type Certificate,
	type ChangeOperation,
	carryOut,
	getAcme,
	getAcmeOptions,
	getProxyBackendOptions,
	getProxyDomainOptions,
	interfacesOptions,
	invalidate,
	listCertCertificatesOptions,
	listProxyBackendsOptions,
	listProxyRoutingRulesOptions,
	orderProxyRoutingRules,
	type ProxyBackend,
	type ProxyOrder,
	proxyStatsOptions,
	proxyTrafficHistoryOptions,
	setAcme,
} from "@api";
import { useMutation, useQuery } from "@tanstack/react-query";
import type { Choice } from "@ui";
import { useMemo } from "react";
import { coverIn } from "./cover";
import { indexOf } from "./health";

const most = 1000;

/** usePools are the pools, by name; of very many the first thousand. */
export const usePools = () => useQuery(listProxyBackendsOptions({ query: { limit: most, sort: "name" } })).data;

const nothing: ProxyBackend[] = [];

const choicesOf = (pools: ProxyBackend[] = nothing): Choice[] =>
	pools.map(({ id, name }) => ({ value: id, label: name }));

/** useSitePools lets a form choose a pool that a site can use. */
export const useSitePools = (): Choice[] => choicesOf(usePools()?.filter((pool) => pool.scheme !== "tcp"));

/** useTcpPools lets a form choose a pool that a TCP service can use. */
export const useTcpPools = (): Choice[] => choicesOf(usePools()?.filter((pool) => pool.scheme === "tcp"));

export const useSite = (id: string) => useQuery(getProxyDomainOptions({ path: { id } }));

export const usePool = (id: string | null) =>
	useQuery({ ...getProxyBackendOptions({ path: { id: id ?? "" } }), enabled: Boolean(id) });

/** useStats is how the servers do, found by pool and server; every so many seconds. */
export const useStats = (every = 2) =>
	useQuery({ ...proxyStatsOptions(), refetchInterval: every * 1000, select: indexOf }).data;

/** useRules are the rules of a site in the order in which they are looked at. */
export const useRules = (site: string) =>
	useQuery(listProxyRoutingRulesOptions({ query: { filter: `domain_id:${site}`, sort: "priority", limit: most } }));

/** useOrder gives the rules of a site a new order. */
export const useOrder = () =>
	useMutation({
		mutationFn: (body: ProxyOrder) => carryOut({}, (headers) => orderProxyRoutingRules({ body, headers })),
		onSettled: () => invalidate("proxy", "change"),
	});

/** useCertificates are the certificates, by name; of very many the first thousand. */
export const useCertificates = (): Certificate[] | undefined =>
	useQuery({
		...listCertCertificatesOptions({ query: { limit: most, sort: "names" } }),
		// One that was just ordered changes by itself.
		refetchInterval: ({ state }) => (state.data?.some((one) => one.status === "pending") ? 3_000 : 60_000),
	}).data;

/** useCover finds the certificate of a name; undefined while the certificates are not known. */
export function useCover() {
	const certificates = useCertificates();
	return useMemo(() => certificates && coverIn(certificates), [certificates]);
}

/** useAddresses are the addresses of this node that others may reach it at. */
export const useAddresses = (): string[] =>
	(useQuery({ ...interfacesOptions(), staleTime: 60_000 }).data ?? [])
		.filter((link) => !link.flags.includes("LOOPBACK"))
		.flatMap((link) => link.addr_info)
		.filter((address) => address.scope === "global")
		.map((address) => address.local);

/** usePublish carries out the whole of a new site as one change. */
export const usePublish = () =>
	useMutation({
		mutationFn: ({ operations, ask }: { operations: ChangeOperation[]; ask: Ask }) =>
			carryOut(ask, (headers) => batch({ body: { operations }, headers })),
		onSuccess: () => invalidate("proxy", "cert", "change"),
	});

/** useAuthority is whom certificates are ordered from. */
export const useAuthority = () => useQuery(getAcmeOptions());

/** useAsksTerms: an authority issues nothing before its terms are agreed to. What cannot be known is asked for. */
export function useAsksTerms(): boolean {
	const { data, failureCount } = useAuthority();
	return data ? !data.terms_agreed : failureCount > 0;
}

/** useAgree agrees to the authority's terms. The authority stays what it is, unless another one is named. */
export const useAgree = () =>
	useMutation({
		mutationFn: async (directory: string) => {
			const { data } = await getAcme();
			const authority = directory ? { ...data, directory_url: directory } : data;
			return setAcme({ body: { ...authority, terms_agreed: true } });
		},
		onSuccess: () => invalidate("system", "cert", "audit"),
	});

/** useDay is what was asked of a site during the last day. */
export const useDay = (site: string) =>
	useQuery({ ...proxyTrafficHistoryOptions({ path: { id: site } }), refetchInterval: 60_000 });
