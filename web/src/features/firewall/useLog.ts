import { useLive } from "@api";
import { useEffect, useRef, useState } from "react";
import { added, type Lines, type Message, nothing } from "./log";

/** useLog hears a stream of the log. While still is set the list stays as it is, and what comes is counted. */
export function useLog(path: string, still: boolean) {
	const [lines, setLines] = useState<Lines>(nothing);
	const [held, setHeld] = useState<Lines>();
	const anew = useRef(true);
	const status = useLive<Message>(path, (message) => {
		const begins = anew.current;
		anew.current = false;
		setLines((before) => added(begins ? nothing : before, message));
	});
	// A stream begins with what the gateway remembers: after a cut that is there a second time.
	// biome-ignore lint/correctness/useExhaustiveDependencies: another path is another stream
	useEffect(() => {
		if (status !== "open") anew.current = true;
	}, [status, path]);
	// biome-ignore lint/correctness/useExhaustiveDependencies: what was heard of another stream is not shown under this one
	useEffect(() => {
		setLines(nothing);
		setHeld(undefined);
	}, [path]);
	if (still && !held) setHeld(lines);
	if (!still && held) setHeld(undefined);
	const shown = still && held ? held : lines;
	return { status, list: shown.list, lost: lines.lost, waiting: Math.max(0, lines.seen - shown.seen) };
}
