import { type LogsEntry, listLogs } from "@api";
import { useInfiniteQuery } from "@tanstack/react-query";
import type { UrlState } from "@ui/urlState";
import { useMemo } from "react";

/** filterKeys are the search parameters, in the URL and in the question to the server. */
export const filterKeys = ["level", "q", "since", "until"] as const;

export const levels = ["debug", "info", "warn", "error"] as const;

/** Asked is what the server is asked for. */
export interface Asked {
	sources?: string[];
	level?: (typeof levels)[number];
	q?: string;
	since?: string;
	until?: string;
}

const levelOf = (text: string | undefined) => levels.find((one) => one === text);

/** askedOf takes from the URL what the server would accept. */
export function askedOf(search: UrlState): Asked {
	const sources = sourcesOf(search);
	const level = levelOf(search.level);
	return {
		...(sources.length > 0 && { sources }),
		...(level && { level }),
		...(search.q && { q: search.q }),
		...(search.since && { since: search.since }),
		...(search.until && { until: search.until }),
	};
}

/** sourcesOf are those that are chosen; none means all. */
export const sourcesOf = (search: UrlState) => (search.sources ?? "").split(",").filter(Boolean);

/** streamOf is the stream that has what is asked for, but for its time. */
export function streamOf({ sources, level, q }: Asked): string {
	const query = new URLSearchParams();
	if (sources) query.set("sources", sources.join(","));
	if (level) query.set("level", level);
	if (q) query.set("q", q);
	const text = query.toString();
	return text ? `/logs/live?${text}` : "/logs/live";
}

/** around are the filters that show what all sources wrote just before and after a moment. */
export function around(at: string): UrlState {
	const moment = new Date(at).getTime();
	const text = (shift: number) => new Date(moment + shift).toISOString();
	return { sources: undefined, level: undefined, q: undefined, since: text(-60_000), until: text(60_000) };
}

const none: LogsEntry[] = [];

/** useEntries reads the logs, page after page. What was written never changes, so nothing is asked for twice. */
export function useEntries(asked: Asked) {
	const query = useInfiniteQuery({
		queryKey: [{ _id: "listLogs", tags: ["logs"], query: asked, pages: true }],
		queryFn: async ({ pageParam, signal }) => {
			const { data } = await listLogs({ query: { ...asked, ...(pageParam && { cursor: pageParam }) }, signal });
			return data;
		},
		initialPageParam: "",
		getNextPageParam: (page) => page.next || undefined,
		refetchOnWindowFocus: false,
		structuralSharing: false,
	});
	const entries = useMemo(() => query.data?.pages.flatMap((page) => page.entries) ?? none, [query.data]);
	return { ...query, entries, last: query.data?.pages.at(-1) };
}

/** Part of a message: found is what was searched for. */
export interface Part {
	text: string;
	found: boolean;
}

/** marked splits a message at what was searched for. */
export function marked(message: string, q: string | undefined): Part[] {
	const wanted = q?.toLowerCase();
	if (!wanted) return [{ text: message, found: false }];
	const parts: Part[] = [];
	const lower = message.toLowerCase();
	let from = 0;
	for (let at = lower.indexOf(wanted); at >= 0; at = lower.indexOf(wanted, from)) {
		parts.push(
			{ text: message.slice(from, at), found: false },
			{ text: message.slice(at, at + wanted.length), found: true },
		);
		from = at + wanted.length;
	}
	return [...parts, { text: message.slice(from), found: false }].filter(({ text }) => text !== "");
}
