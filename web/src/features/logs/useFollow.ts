import { type LogsEntry, useLive } from "@api";
import { useEffect, useRef, useState } from "react";

/** What is kept of what was heard. */
const kept = 2_000;
const none: LogsEntry[] = [];

/** useFollow hears what is written from now on, newest first. A burst becomes one rendering. */
export function useFollow(path: string, on: boolean) {
	const [heard, setHeard] = useState(none);
	const waiting = useRef<LogsEntry[]>([]);
	const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
	const status = useLive<LogsEntry>(
		path,
		(entry) => {
			waiting.current.push(entry);
			timer.current ??= setTimeout(() => {
				timer.current = undefined;
				const fresh = waiting.current.splice(0).toReversed();
				setHeard((before) => [...fresh, ...before].slice(0, kept));
			}, 200);
		},
		on,
	);
	// biome-ignore lint/correctness/useExhaustiveDependencies: another stream begins with nothing
	useEffect(() => {
		setHeard(none);
		return () => {
			clearTimeout(timer.current);
			timer.current = undefined;
			waiting.current = [];
		};
	}, [path, on]);
	return { status, heard };
}
