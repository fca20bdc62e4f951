import { listChangesOptions } from "@api";
import { useQuery } from "@tanstack/react-query";
import { subjectOf, titleOf } from "@ui";
import type { Mark } from "@ui/LiveChart";
import { useMemo } from "react";
import { type Range, ranges } from "./charts";

/** As many changes are marked: more would be a wall of lines. */
const most = 100;

const none: Mark[] = [];

/** useMarks are the changes of the configuration in a range. Without a database there are none, and the charts go on. */
export function useMarks(until: number, range: Range): Mark[] {
	const since = new Date(until - ranges[range] * 1_000).toISOString();
	const { data } = useQuery(listChangesOptions({ query: { since, limit: most } }));
	return useMemo(
		() =>
			data?.map((change) => ({
				at: Date.parse(change.created_at) / 1_000,
				label: [titleOf(change), subjectOf(change)].filter(Boolean).join(" "),
			})) ?? none,
		[data],
	);
}
