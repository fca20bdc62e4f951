import { steady, type Waiting } from "@api";
import { useEffect, useRef, useState } from "react";
import { useRestore } from "./requests";
import { isRefusal, type Sight, sightOf, untilOf } from "./sight";

/** useSight is what can be said about the restore now. It looks at the clock, too: silence makes no event. */
export function useSight(): Sight & { until: number } {
	const { data, error, dataUpdatedAt, errorUpdatedAt } = useRestore();
	const [now, setNow] = useState(Date.now);
	const answered = useRef(now);
	answered.current = Math.max(answered.current, dataUpdatedAt, isRefusal(error) ? errorUpdatedAt : 0);
	useEffect(() => {
		const timer = setInterval(() => setNow(Date.now()), 1_000);
		return () => clearInterval(timer);
	}, []);
	const before = useRef<Waiting>(undefined);
	before.current = steady(before.current, data && { change: data.backup_id, until: untilOf(data, dataUpdatedAt) });
	return {
		...sightOf({ data, error, answeredAt: answered.current }, Math.max(now, answered.current)),
		until: before.current?.until ?? 0,
	};
}
