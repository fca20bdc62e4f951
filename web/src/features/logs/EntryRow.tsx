import type { LogsEntry } from "@api";
import { Button } from "@patternfly/react-core";
import { formatExact, formatShort, PropertyList, type Status, StatusLabel } from "@ui";
import { useTranslation } from "@ui/translation";
import { memo } from "react";
import { marked } from "./entries";

const looks: Record<LogsEntry["level"], Status> = {
	debug: "neutral",
	info: "neutral",
	warn: "warning",
	error: "danger",
};

interface Props {
	entry: LogsEntry;
	/** What was searched for. */
	q: string | undefined;
	open: boolean;
	toggle: (id: string) => void;
	onAround: (at: string) => void;
}

/** EntryRow is one line of a log; it opens into all of its text. */
export const EntryRow = memo(function EntryRow({ entry, q, open, toggle, onAround }: Props) {
	const { t } = useTranslation("logs");
	const at = new Date(entry.at);
	const parts = marked(entry.message, q);
	return (
		<li data-level={entry.level}>
			<button type="button" className="gw-logs-row" aria-expanded={open} onClick={() => toggle(entry.id)}>
				<time dateTime={entry.at} title={formatExact(at)}>
					{formatShort(at)}
				</time>
				<span>
					<StatusLabel status={looks[entry.level]}>{t(`level.${entry.level}`)}</StatusLabel>
				</span>
				<span className="gw-logs-source" title={entry.source}>
					{entry.source}
				</span>
				<code className="gw-logs-message" title={open ? undefined : entry.message}>
					{parts.map(({ text, found }, place) =>
						// biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text never move
						found ? <mark key={place}>{text}</mark> : <span key={place}>{text}</span>,
					)}
				</code>
			</button>
			{open && (
				<div className="gw-logs-details">
					<PropertyList
						items={[
							[t("field.at"), formatExact(at)],
							[t(entry.source === "audit" ? "field.actor" : "field.program"), entry.program || "–"],
							[t("field.pid"), entry.pid || undefined],
						]}
					/>
					<Button variant="link" isInline onClick={() => onAround(entry.at)}>
						{t("around")}
					</Button>
				</div>
			)}
		</li>
	);
});
