import { useEffect, useState } from "react";
import { formatAgo, formatExact } from "./format";

interface Props {
	/** RFC 3339, as the API sends it; null shows a dash. */
	value: string | null | undefined;
	/** Shows the exact time, and how long ago on hover. */
	exact?: boolean;
}

/** Time shows a moment in the browser's zone: how long ago, with the exact value on hover. */
export function Time({ value, exact = false }: Props) {
	useMinute();
	const date = value ? new Date(value) : undefined;
	if (!date || Number.isNaN(date.getTime()) || date.getUTCFullYear() <= 1) return <span>–</span>;
	const [shown, hover] = exact ? [formatExact(date), formatAgo(date)] : [formatAgo(date), formatExact(date)];
	return (
		<time dateTime={date.toISOString()} title={hover}>
			{shown}
		</time>
	);
}

// One clock for all of them, so that a thousand times on a page tick together.
const watchers = new Set<(n: number) => void>();
let clock: ReturnType<typeof setInterval> | undefined;

function useMinute(): void {
	const [, tick] = useState(0);
	useEffect(() => {
		watchers.add(tick);
		clock ??= setInterval(() => {
			for (const tell of watchers) tell(Date.now());
		}, 30_000);
		return () => {
			watchers.delete(tick);
			if (watchers.size > 0) return;
			clearInterval(clock);
			clock = undefined;
		};
	}, []);
}
