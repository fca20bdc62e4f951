import { type LogsShippingStream, logShippingStatusOptions, useCurrent } from "@api";
import { useQuery } from "@tanstack/react-query";
import { formatNumber, ServiceCard, StatusLabel, Time } from "@ui";
import { useTranslation } from "@ui/translation";

const looks = { sending: "success", connecting: "info", away: "danger" } as const;

/** ShippingCard is whether log entries arrive at the receiver; nothing while they are not to be sent. */
export function ShippingCard() {
	const { t } = useTranslation("logs");
	const shipping = useCurrent(useQuery({ ...logShippingStatusOptions(), refetchInterval: 5_000 }));
	if (!shipping?.enabled) return null;
	return (
		<ServiceCard label={t("shipping.title")}>
			{!shipping.running && <StatusLabel status="danger">{t("shipping.silent")}</StatusLabel>}
			{shipping.streams.map((stream) => (
				<Facts key={stream.journal} stream={stream} />
			))}
		</ServiceCard>
	);
}

function Facts({ stream }: { stream: LogsShippingStream }) {
	const { t } = useTranslation("logs");
	const facts = [
		{ name: "connected", value: <Time value={stream.connected_since} /> },
		{ name: "last", value: <Time value={stream.last_sent_at} /> },
		{ name: "sent", value: formatNumber(stream.sent) },
		stream.behind_since && { name: "behind", value: <Time value={stream.behind_since} /> },
		stream.lost > 0 && { name: "lost", value: formatNumber(stream.lost) },
	].filter((fact) => fact !== null && fact !== false && fact !== "");
	return (
		<dl>
			<div>
				<dt>{t(`shipping.journal.${stream.journal}`)}</dt>
				<dd>
					<StatusLabel status={looks[stream.state]}>{t(`shipping.state.${stream.state}`)}</StatusLabel>
					{stream.error && ` ${t(`shipping.error.${stream.error}`)}`}
				</dd>
			</div>
			{facts.map(({ name, value }) => (
				<div key={name}>
					<dt>{t(`shipping.${name}`)}</dt>
					<dd>{value}</dd>
				</div>
			))}
		</dl>
	);
}
