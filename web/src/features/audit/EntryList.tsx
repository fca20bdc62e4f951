import type { AuditEntry } from "@api";
import { actionTitles } from "@ui";
import { useTranslation } from "@ui/translation";
import { type KeyboardEvent, useCallback, useEffect, useRef } from "react";
import { EntryRow } from "./EntryRow";
import type { Filters } from "./filters";
import { useVirtualEntries } from "./useVirtualEntries";

interface Props {
	entries: AuditEntry[];
	fresh: ReadonlySet<string>;
	/** Id of the entry whose details are shown. */
	open: string | undefined;
	setOpen: (id: string | undefined) => void;
	filter: (filters: Filters) => void;
	/** Called when the reader comes near the end. */
	more: () => void;
}

/** How many entries before the end the next page is asked for. */
const ahead = 80;

/** EntryList shows any number of entries, newest first. */
export function EntryList({ entries, fresh, open, setOpen, filter, more }: Props) {
	const { t } = useTranslation("audit");
	const titles = actionTitles();
	const list = useRef<HTMLOListElement>(null);
	const { items, measure, above, below } = useVirtualEntries(entries, list);
	const shown = useRef(open);
	shown.current = open;
	// An entry that was opened has a height of its own, and changes it when it is closed.
	const opened = useRef(new Set<string>());
	const toggle = useCallback(
		(id: string) => {
			opened.current.add(id);
			setOpen(shown.current === id ? undefined : id);
		},
		[setOpen],
	);
	const end = items.at(-1)?.index ?? 0;
	const near = end >= entries.length - ahead;
	useEffect(() => {
		if (near) more();
	}, [near, more]);
	return (
		<>
			<div className="gw-audit-head" aria-hidden="true">
				<span>{t("column.event")}</span>
				<span>{t("column.subject")}</span>
				<span>{t("column.actor")}</span>
				<span>{t("column.time")}</span>
			</div>
			<ol ref={list} className="gw-audit-list" aria-label={t("title")} onKeyDown={walk}>
				{above > 0 && <li aria-hidden="true" style={{ height: above }} />}
				{items.map(({ index, key }) => {
					const entry = entries[index];
					return (
						entry && (
							<EntryRow
								key={key}
								entry={entry}
								title={titles.get(entry.action)}
								index={index}
								open={entry.id === open}
								fresh={fresh.has(entry.id)}
								toggle={toggle}
								filter={filter}
								measure={opened.current.has(entry.id) ? measure : undefined}
							/>
						)
					);
				})}
				{below > 0 && <li aria-hidden="true" style={{ height: below }} />}
			</ol>
		</>
	);
}

/** walk goes from line to line with the arrow keys. */
function walk(event: KeyboardEvent<HTMLElement>): void {
	const row = event.target as HTMLElement;
	if (!row.classList.contains("gw-audit-row") || (event.key !== "ArrowDown" && event.key !== "ArrowUp")) return;
	const item = row.closest("li");
	const next = event.key === "ArrowDown" ? item?.nextElementSibling : item?.previousElementSibling;
	const target = next?.querySelector<HTMLElement>(".gw-audit-row");
	if (!target) return;
	event.preventDefault();
	target.focus();
}
