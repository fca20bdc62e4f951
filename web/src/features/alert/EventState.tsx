import type { AlertEvent } from "@api";
import { BusyButton, type Status, StatusLabel, toast, useErrorText } from "@ui";
import { useTranslation } from "@ui/translation";
import { useAcknowledge } from "./requests";

const looks: Record<AlertEvent["severity"], Status> = {
	critical: "danger",
	error: "danger",
	warning: "warning",
	info: "info",
};

/** lookOf is the colour of an event: what is over is not red any more, and its end is green. */
export const lookOf = ({ state, severity, over }: Pick<AlertEvent, "state" | "severity" | "over">): Status =>
	state === "resolved" ? "success" : over ? "neutral" : looks[severity];

/** EventState is how serious an event is, whether it is over, and whether somebody took note. */
export function EventState({ event, admin }: { event: AlertEvent; admin: boolean }) {
	const { t } = useTranslation("alert");
	const ended = event.state === "resolved";
	const open = event.state === "firing" && !event.over;
	return (
		<>
			<StatusLabel status={lookOf(event)}>{t(ended ? "event.resolved" : `severity.${event.severity}`)}</StatusLabel>
			{event.acknowledged_by && <p className="gw-subtle">{t("event.acknowledged", { by: event.acknowledged_by })}</p>}
			{open && admin && !event.acknowledged_by && <Acknowledge id={event.id} />}
		</>
	);
}

function Acknowledge({ id }: { id: string }) {
	const { t } = useTranslation("alert");
	const text = useErrorText();
	const { mutate, isPending } = useAcknowledge();
	return (
		<div>
			<BusyButton
				variant="link"
				isInline
				busy={isPending}
				onClick={() => mutate(id, { onError: (error) => toast.danger(text(error)) })}
			>
				{t("event.acknowledge")}
			</BusyButton>
		</div>
	);
}
