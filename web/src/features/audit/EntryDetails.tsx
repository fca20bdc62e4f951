import type { AuditEntry } from "@api";
import { Button } from "@patternfly/react-core";
import { FilterIcon } from "@patternfly/react-icons";
import { CopyButton } from "@ui";
import { useTranslation } from "@ui/translation";
import type { ReactNode } from "react";
import { type Filters, subjectLength } from "./filters";
import { exactTime } from "./time";

interface Props {
	entry: AuditEntry;
	filter: (filters: Filters) => void;
}

const isEmpty = (detail: unknown) =>
	detail === null || detail === undefined || (typeof detail === "object" && Object.keys(detail).length === 0);

/** EntryDetails is everything that the log knows about an entry. */
export function EntryDetails({ entry, filter }: Props) {
	const { t } = useTranslation("audit");
	const mono = (text: string) => <code className="gw-audit-mono">{text}</code>;
	const properties: [string, ReactNode][] = [
		[t("details.time"), exactTime(entry.created_at)],
		[t("details.exact"), mono(entry.created_at)],
		[t("details.action"), mono(entry.action)],
		[t("details.subject"), <bdi key="subject">{entry.subject || "–"}</bdi>],
		[t("details.actor"), <bdi key="actor">{entry.actor || "–"}</bdi>],
		[t("details.change"), entry.change_id ? mono(entry.change_id) : undefined],
		[t("details.node"), mono(entry.node_id)],
		[t("details.seq"), mono(String(entry.seq))],
		[t("details.id"), mono(entry.id)],
	];
	return (
		<section className="gw-audit-details" aria-label={t("details.title")}>
			<dl className="gw-audit-properties">
				{properties.map(
					([name, value]) =>
						value !== undefined && (
							<div key={name}>
								<dt>{name}</dt>
								<dd>{value}</dd>
							</div>
						),
				)}
			</dl>
			<div className="gw-audit-facts">
				<h2>{t("details.facts")}</h2>
				{isEmpty(entry.detail) ? (
					<p className="gw-audit-none">{t("details.none")}</p>
				) : (
					// biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
					<pre tabIndex={0}>{JSON.stringify(entry.detail, null, 2)}</pre>
				)}
				<div className="gw-audit-buttons">
					<CopyButton text={JSON.stringify(entry, null, 2)} label={t("details.copy")} withLabel />
					{entry.actor !== "" && (
						<Button variant="link" icon={<FilterIcon />} onClick={() => filter({ actor: entry.actor })}>
							{t("details.sameActor")}
						</Button>
					)}
					{entry.subject.length >= subjectLength && (
						<Button variant="link" icon={<FilterIcon />} onClick={() => filter({ subject: entry.subject })}>
							{t("details.sameSubject")}
						</Button>
					)}
				</div>
			</div>
		</section>
	);
}
