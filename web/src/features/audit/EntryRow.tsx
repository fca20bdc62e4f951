import type { AuditEntry } from "@api";
import { AngleRightIcon } from "@patternfly/react-icons";
import { formatExact } from "@ui";
import { memo } from "react";
import { useTranslation } from "react-i18next";
import { titleKey } from "./actions";
import { EntryDetails } from "./EntryDetails";
import { EventIcon } from "./EventIcon";
import type { Filters } from "./filters";
import { shortTime } from "./time";

interface Props {
	entry: AuditEntry;
	index: number;
	open: boolean;
	fresh: boolean;
	toggle: (id: string) => void;
	filter: (filters: Filters) => void;
	measure: (element: HTMLElement | null) => void;
}

/** EntryRow is one entry: a line that opens into its details. */
export const EntryRow = memo(function EntryRow({ entry, index, open, fresh, toggle, filter, measure }: Props) {
	const { t, i18n } = useTranslation("audit");
	const key = titleKey(entry.action);
	const time = new Date(entry.created_at);
	const exact = Number.isNaN(time.getTime()) ? undefined : formatExact(time);
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
				<span className="gw-audit-title">{key ? t(key) : <code>{entry.action}</code>}</span>
				<bdi className="gw-audit-subject" title={entry.subject}>
					{entry.subject || "–"}
				</bdi>
				<bdi className="gw-audit-actor" title={entry.actor} data-same={entry.actor === entry.subject}>
					{entry.actor || "–"}
				</bdi>
				<time className="gw-audit-time" dateTime={entry.created_at} title={exact}>
					{shortTime(entry.created_at, i18n.language)}
				</time>
				<span className="gw-audit-angle" aria-hidden="true">
					<AngleRightIcon />
				</span>
			</button>
			{open && <EntryDetails entry={entry} filter={filter} />}
		</li>
	);
});
