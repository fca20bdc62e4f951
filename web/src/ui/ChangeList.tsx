import "./card.css";
import { type ChangeRecord, useCan } from "@api";
import { ChangeState } from "./ChangeState";
import { actorOf, subjectOf, titleOf } from "./change/words";
import { Link } from "./Link";
import { Time } from "./Time";

interface Props {
	changes: ChangeRecord[];
	/** They were looked at just now. */
	current: boolean;
}

/** ChangeList is a few changes, each with who made it and what became of it; administrators can open them. */
export function ChangeList({ changes, current }: Props) {
	const admin = useCan("admin");
	return (
		<ul className="gw-rows">
			{changes.map((one) => (
				<Row key={one.id} change={one} current={current} linked={admin} />
			))}
		</ul>
	);
}

function Row({ change, current, linked }: { change: ChangeRecord; current: boolean; linked: boolean }) {
	const title = titleOf(change);
	return (
		<li>
			<div className="gw-entry">
				<p>
					{linked ? <Link to={`/changes/${change.id}`}>{title}</Link> : title} <bdi>{subjectOf(change)}</bdi>
				</p>
				<p className="gw-subtle">
					<bdi>{actorOf(change.actor)}</bdi> · <Time value={change.created_at} />
				</p>
			</div>
			<ChangeState change={change} current={current} />
		</li>
	);
}
