import type { AuditEntry } from "@api";
import { useMemo, useState } from "react";

/** held leaves out what came after top; it finds top fast, because little came since. */
export function held(entries: AuditEntry[], top: string | undefined): { shown: AuditEntry[]; waiting: number } {
	const waiting =
		top === undefined
			? 0
			: Math.max(
					0,
					entries.findIndex((entry) => entry.id === top),
				);
	return { shown: waiting === 0 ? entries : entries.slice(waiting), waiting };
}

/** useHold keeps the top of the list still while on is set, and counts what waits above it. */
export function useHold(entries: AuditEntry[], on: boolean) {
	const [top, setTop] = useState<string>();
	const first = entries[0]?.id;
	if (on && top === undefined && first !== undefined) setTop(first);
	if (!on && top !== undefined) setTop(undefined);
	return useMemo(() => held(entries, on ? top : undefined), [entries, on, top]);
}
