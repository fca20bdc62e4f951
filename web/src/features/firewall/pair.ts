import { type FirewallRule, type ListQuery, listFirewallRules, page, queryClient } from "@api";

/** What the list of rules is asked: the zones are parameters of the address bar, the server has one filter. */
export interface PairQuery extends ListQuery {
	src?: string;
	dst?: string;
}

const most = 1000;

type List<R> = (query: ListQuery, signal?: AbortSignal) => Promise<{ data: R[]; response: Response }>;

/** everything asks for all pages of a list, the first alone because it tells how many there are. */
export async function everything<R>(list: List<R>, query: ListQuery, signal?: AbortSignal): Promise<R[]> {
	const first = await page(list({ ...query, limit: most, offset: 0 }, signal));
	const offsets = Array.from({ length: Math.ceil(first.total / most) - 1 }, (_, n) => (n + 1) * most);
	const rest = await Promise.all(offsets.map((offset) => list({ ...query, limit: most, offset }, signal)));
	return [first.rows, ...rest.map(({ data }) => data)].flat();
}

const list: List<FirewallRule> = (query, signal) => listFirewallRules({ query, signal });

/** between are the rules from one zone to another. The server filters by one zone; the other is looked at here. */
const between = (src: string, dst: string, query: ListQuery) =>
	queryClient.fetchQuery({
		queryKey: [{ _id: "rules between zones", tags: ["firewall"], src, dst, query }],
		queryFn: async ({ signal }) => {
			const from = await everything(list, { ...query, filter: `src_zone:${src}` } as ListQuery, signal);
			return from.filter((rule) => rule.dst_zone === dst);
		},
	});

/** listPair lists the rules between two zones, from one, to one, or all of them. */
export async function listPair({ src, dst, ...query }: PairQuery = {}, signal?: AbortSignal) {
	if (src && dst) {
		const { limit = most, offset = 0, ...rest } = query;
		const rows = await between(src, dst, rest);
		const headers = { "X-Total-Count": String(rows.length) };
		return { data: rows.slice(offset, offset + limit), response: new Response(null, { headers }) };
	}
	const filter = src ? `src_zone:${src}` : dst ? `dst_zone:${dst}` : undefined;
	return list({ ...query, ...(filter && { filter }) }, signal);
}
