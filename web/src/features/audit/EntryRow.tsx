import type { AuditEntry } from "@api";
import { useOperationTitle } from "@ui/operationTitle";
import { memo } from "react";
import { EntryDetails } from "./EntryDetails";
import { EventIcon } from "./EventIcon";
import type { Filters } from "./filters";
import { exactTime, shortTime } from "./time";

/** confirmed is the action of a ticket, whose subject is the operation that the password was given for. */
const confirmed = "auth.ticket.issue";

function Operation({ operation }: { operation: string }) {
	return useOperationTitle(operation);
}

interface Props {
	entry: AuditEntry;
	/** Its action in words; undefined for an action that has none. */
	title: string | undefined;
	index: number;
	open: boolean;
	fresh: boolean;
	toggle: (id: string) => void;
	filter: (filters: Filters) => void;
	measure: ((element: HTMLElement | null) => void) | undefined;
}

/** EntryRow is one entry: a line that opens into its details. */
export const EntryRow = memo(function EntryRow({ entry, title, index, open, fresh, toggle, filter, measure }: Props) {
	return (
		<li
			ref={measure}
			data-index={index}
			className={fresh ? "gw-audit-item gw-audit-fresh" : "gw-audit-item"}
			aria-setsize={-1}
			aria-posinset={index + 1}
		>
			<button type="button" className="gw-audit-row" aria-expanded={open} onClick={() => toggle(entry.id)}>
				<EventIcon action={entry.action} />
				<span className="gw-audit-title">{title ?? <code>{entry.action}</code>}</span>
				<bdi className="gw-audit-subject" title={entry.subject}>
					{entry.action === confirmed ? <Operation operation={entry.subject} /> : entry.subject || "–"}
				</bdi>
				<bdi className="gw-audit-actor" title={entry.actor} data-same={entry.actor === entry.subject}>
					{entry.actor || "–"}
				</bdi>
				<time className="gw-audit-time" dateTime={entry.created_at} title={exactTime(entry.created_at)}>
					{shortTime(entry.created_at)}
				</time>
				<span className="gw-audit-angle" aria-hidden="true" />
			</button>
			{open && <EntryDetails entry={entry} filter={filter} />}
		</li>
	);
});
