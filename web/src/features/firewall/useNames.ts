import {
	getFirewallAddressGroupOptions,
	getFirewallAddressObjectOptions,
	getFirewallRuleOptions,
	getFirewallServiceGroupOptions,
	getFirewallServiceOptions,
	getUplinkGroupOptions,
	listFirewallAddressObjectsOptions,
} from "@api";
import { type UseQueryOptions, useQueries, useQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useState } from "react";
import { useServices } from "./requests";

/** Ids are what rows on screen refer to, by its kind. */
export interface Ids {
	address: string[];
	group: string[];
	service: string[];
	serviceGroup: string[];
	uplinkGroup: string[];
	rule: string[];
}

export const noIds: Ids = { address: [], group: [], service: [], serviceGroup: [], uplinkGroup: [], rule: [] };

/** Names are what people call it, by its id. */
export type Names = ReadonlyMap<string, string>;

interface Named {
	id: string;
	name: string;
}

const one = {
	address: getFirewallAddressObjectOptions,
	group: getFirewallAddressGroupOptions,
	service: getFirewallServiceOptions,
	serviceGroup: getFirewallServiceGroupOptions,
	uplinkGroup: getUplinkGroupOptions,
	rule: getFirewallRuleOptions,
};

const minute = 60_000;
const kinds = Object.keys(one) as (keyof Ids)[];

const namesIn = (rows: readonly (Named | undefined)[]): Names =>
	new Map(rows.flatMap((row) => (row ? [[row.id, row.name] as const] : [])));

/** useSettled is ids as they were when they last stopped changing: whoever scrolls past rows need not know them all. */
function useSettled(ids: Ids): Ids {
	const key = JSON.stringify(ids);
	const [settled, setSettled] = useState(key);
	useEffect(() => {
		const timer = setTimeout(() => setSettled(key), 120);
		return () => clearTimeout(timer);
	}, [key]);
	return useMemo(() => JSON.parse(settled) as Ids, [settled]);
}

/**
 * useNames names what rows refer to. The first thousand addresses and services come at once, which is all that most
 * gateways have; of more, those that are on screen are asked for.
 */
export function useNames(given: Ids): Names {
	const ids = useSettled(given);
	const services = useServices();
	const addresses = useQuery({
		...listFirewallAddressObjectsOptions({ query: { limit: 1000, sort: "name" } }),
		staleTime: minute,
	}).data;
	const first = useMemo(() => namesIn([...(addresses ?? []), ...(services ?? [])]), [addresses, services]);
	const ready = {
		address: addresses,
		service: services,
		group: true,
		serviceGroup: true,
		uplinkGroup: true,
		rule: true,
	};
	const unknown = kinds.flatMap((kind) =>
		[...new Set(ids[kind])].filter((id) => ready[kind] && !first.has(id)).map((id) => ({ kind, id })),
	);
	const others = useQueries({
		queries: unknown.map(
			({ kind, id }) => ({ ...one[kind]({ path: { id } }), staleTime: minute }) as UseQueryOptions<Named>,
		),
		combine: combined,
	});
	return useMemo(() => (others.length === 0 ? first : new Map([...first, ...namesIn(others)])), [first, others]);
}

// A list is compared with the one before by what it holds, so that rows that are named already are not rendered again.
const combined = (results: { data?: Named }[]) =>
	results.flatMap(({ data }) => (data ? [{ id: data.id, name: data.name }] : []));
