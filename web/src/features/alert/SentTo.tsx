import type { AlertSent } from "@api";
import { type Status, StatusLabel, sentence, serverText } from "@ui";
import { useTranslation } from "@ui/translation";

const looks: Record<AlertSent["result"], Status> = {
	ok: "success",
	error: "danger",
	pending: "info",
	dropped: "neutral",
};

/** SentTo is what came of an alert at each channel. */
export function SentTo({ results }: { results: AlertSent[] }) {
	const { t } = useTranslation("alert");
	if (results.length === 0) return t("sent.nobody");
	return results.map((one) => (
		<div key={one.channel_id}>
			<StatusLabel status={looks[one.result]}>
				{one.channel}: {t(`sent.${one.result}`)}
			</StatusLabel>
			{one.error && (
				<p className="gw-subtle">
					{sentence(serverText(one.error))} {one.retry_at && t("sent.again")}
				</p>
			)}
		</div>
	));
}
