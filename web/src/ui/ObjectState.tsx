import type { ProblemState } from "@api";
import { stateReason } from "./problemText";
import { type Status, StatusLabel } from "./StatusLabel";
import { useTranslation } from "./translation";

/** Green is only what works; what nobody knows is grey. */
const looks: Record<string, Status> = {
	broken: "danger",
	degraded: "warning",
	down: "danger",
	expired: "warning",
	failed: "danger",
	loss: "danger",
	missing: "danger",
	no_carrier: "danger",
	no_certificate: "warning",
	no_servers: "danger",
	not_applied: "danger",
	slow: "danger",
	stopped: "danger",
	unresolved: "warning",
	held: "warning",
	maintenance: "info",
	draining: "info",
};

interface Props {
	/** As useStates has it. */
	state: ProblemState | undefined;
	/** What this kind of object is called when it works: "serving", "up". */
	normal: string;
	/** Say why behind the word, where there is room; else it is only in the tooltip. */
	why?: boolean;
}

/** ObjectState is the state of an object in one word with a colour, and why it is so. */
export function ObjectState({ state, normal, why }: Props) {
	const { t } = useTranslation("ui");
	if (!state) return <StatusLabel status="success">{t(`objectState.${normal}`)}</StatusLabel>;
	const reason = stateReason(state);
	return (
		<span title={reason || undefined}>
			<StatusLabel status={looks[state.state] ?? "neutral"}>{t(`objectState.${state.state}`)}</StatusLabel>
			{reason && <span className={why ? "gw-subtle" : "pf-v6-screen-reader"}> {reason}</span>}
		</span>
	);
}
