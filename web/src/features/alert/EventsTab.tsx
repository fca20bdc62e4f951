import { type AlertEvent, useCan } from "@api";
import { Button } from "@patternfly/react-core";
import { BellIcon } from "@patternfly/react-icons";
import { EmptyState, formatShort, Loaded, Table, TableTools, Tbody, Td, Th, Thead, Time, Tr, useUrlState } from "@ui";
import { useTranslation } from "@ui/translation";
import { EventState } from "./EventState";
import { EventText } from "./EventText";
import { useEvents } from "./requests";
import { SentTo } from "./SentTo";

/** momentOf is a time of the address; undefined for what is none. */
const momentOf = (text: string | undefined) => (Number.isNaN(Date.parse(text ?? "")) ? undefined : text);

/** EventsTab is what was told, the newest first: lately, or at the time that the address says. */
export function EventsTab() {
	const { t } = useTranslation("alert");
	const [search, set] = useUrlState();
	const since = momentOf(search.since);
	const until = momentOf(search.until);
	return (
		<>
			{(since || until) && (
				<p>
					{t("event.between", { from: shown(since), to: shown(until) })}{" "}
					<Button variant="link" isInline onClick={() => set({ since: undefined, until: undefined }, { push: true })}>
						{t("event.latest")}
					</Button>
				</p>
			)}
			<Loaded query={useEvents({ since, until })} height="16rem">
				{(events) =>
					events.length === 0 ? (
						<EmptyState icon={BellIcon} title={t("event.empty")}>
							{t("event.emptyText")}
						</EmptyState>
					) : (
						<List events={events} />
					)
				}
			</Loaded>
		</>
	);
}

const shown = (moment: string | undefined) => (moment ? formatShort(new Date(moment)) : "…");

function List({ events }: { events: AlertEvent[] }) {
	const { t } = useTranslation("alert");
	const admin = useCan("admin");
	return (
		<div className="gw-table">
			<TableTools name="alert-events" rows={events} />
			<Table aria-label={t("tab.events")} variant="compact" gridBreakPoint="grid-md">
				<Thead>
					<Tr>
						<Th width={15}>{t("event.time")}</Th>
						<Th width={15}>{t("event.state")}</Th>
						<Th width={40}>{t("event.message")}</Th>
						<Th width={30}>{t("event.sentTo")}</Th>
					</Tr>
				</Thead>
				<Tbody>
					{events.map((event) => (
						<Tr key={event.id}>
							<Td dataLabel={t("event.time")}>
								<Time value={event.fired_at} />
							</Td>
							<Td dataLabel={t("event.state")}>
								<EventState event={event} admin={admin} />
							</Td>
							<Td dataLabel={t("event.message")}>
								<EventText event={event} />
							</Td>
							<Td dataLabel={t("event.sentTo")}>
								<SentTo results={event.sent_to} />
							</Td>
						</Tr>
					))}
				</Tbody>
			</Table>
		</div>
	);
}
