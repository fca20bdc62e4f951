import { type AuditEntry, type LiveStatus, queryClient, useLive } from "@api";
import { useCallback, useEffect, useRef, useState } from "react";
import { addLive, type Pages, trimmed } from "./pages";
import { entriesKey } from "./useEntries";

const key = entriesKey({});
const nobody: ReadonlySet<string> = new Set();

interface Stream {
	status: LiveStatus;
	/** Ids of entries that came just now, to be highlighted for a moment. */
	fresh: ReadonlySet<string>;
}

/**
 * useStream puts new entries on top of the unfiltered log. ready tells that its first page
 * is there; held keeps the log from forgetting its older part while somebody reads it.
 */
export function useStream(enabled: boolean, ready: boolean, held: boolean): Stream {
	const waiting = useRef<AuditEntry[]>([]);
	const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
	const [fresh, setFresh] = useState(nobody);
	const holding = useRef(held);
	holding.current = held;

	const flush = useCallback(() => {
		timer.current = undefined;
		const state = queryClient.getQueryState<Pages>(key);
		// A page on its way would overwrite what is added now.
		if (!state?.data || state.fetchStatus === "fetching") {
			timer.current = setTimeout(flush, 100);
			return;
		}
		const { pages, added, gap } = addLive(state.data, waiting.current.splice(0));
		if (added.length === 0) return;
		queryClient.setQueryData(key, holding.current ? pages : trimmed(pages));
		setFresh(new Set(added.map((entry) => entry.id)));
		if (gap) void queryClient.invalidateQueries({ queryKey: key });
	}, []);

	// A burst becomes one rendering.
	const hear = (entry: AuditEntry) => {
		waiting.current.push(entry);
		if (ready) timer.current ??= setTimeout(flush, 80);
	};
	const status = useLive<AuditEntry>("/audit/live", hear, enabled);

	useEffect(() => {
		if (!enabled || !ready) return;
		flush();
		return () => {
			clearTimeout(timer.current);
			timer.current = undefined;
			waiting.current = [];
		};
	}, [enabled, ready, flush]);

	useEffect(() => {
		if (fresh.size === 0) return;
		const end = setTimeout(() => setFresh(nobody), 3_000);
		return () => clearTimeout(end);
	}, [fresh]);
	return { status, fresh };
}
