import type { AlertEvent } from "@api";
import { Link, problemRemedy, problemTitle } from "@ui";

/** EventText is what an alert says, with the page where that is mended. */
export function EventText({ event }: { event: AlertEvent }) {
	const told = {
		...event,
		subject: { kind: event.subject_kind, id: event.subject_id, name: event.subject },
	};
	const title = problemTitle(told);
	const open = event.state === "firing" && !event.over;
	return (
		<>
			{event.link ? <Link to={event.link}>{title}</Link> : title}
			<p className="gw-subtle">
				<code className="gw-mono">{event.kind}</code>
				{open && event.remedy ? ` · ${problemRemedy(told)}` : ""}
			</p>
		</>
	);
}
