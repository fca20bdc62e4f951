import { type ChangeRecord, listChangesOptions, useCan } from "@api";
import { useQuery } from "@tanstack/react-query";
import { actorOf, Link, Loaded, subjectOf, Time, titleOf } from "@ui";
import { DashCard } from "@ui/DashCard";
import { useTranslation } from "react-i18next";
import { StateLabel } from "./StateLabel";

const many = 5;

/** LastChangesCard is what was changed lately, and what became of it; a change can be reverted on its page. */
export function LastChangesCard() {
	const { t } = useTranslation("change");
	const admin = useCan("admin");
	const query = useQuery({ ...listChangesOptions({ query: { limit: many } }), refetchInterval: 10_000 });
	return (
		<DashCard title={t("card.title")} to="/changes" more={t("title")}>
			<Loaded query={query}>
				{(changes, current) =>
					changes.length === 0 ? (
						<p className="gw-subtle">{t("empty")}</p>
					) : (
						<ul className="gw-rows">
							{changes.map((one) => (
								<Row key={one.id} change={one} current={current} linked={admin} />
							))}
						</ul>
					)
				}
			</Loaded>
		</DashCard>
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
			<StateLabel change={change} current={current} />
		</li>
	);
}
