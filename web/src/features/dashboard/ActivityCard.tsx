import type { AuditEntry } from "@api";
import { Card, CardBody, CardHeader, CardTitle } from "@patternfly/react-core";
import { actionTitle, actorOf, Link, Loaded, subjectOf, Time } from "@ui";
import { useTranslation } from "@ui/translation";
import { useActivity } from "./requests";

const many = 8;

/** ActivityCard is what was done on this node lately. */
export function ActivityCard() {
	const { t } = useTranslation("dashboard");
	const query = useActivity(many);
	return (
		<Card isCompact>
			<CardHeader className="gw-card-head">
				<CardTitle component="h2">{t("activity.title")}</CardTitle>
				<Link to="/audit">{t("activity.all")}</Link>
			</CardHeader>
			<CardBody>
				<Loaded query={query}>
					{(entries) =>
						entries.length === 0 ? (
							<p className="gw-subtle">{t("activity.none")}</p>
						) : (
							<ul className="gw-rows">
								{entries.map((entry) => (
									<Entry key={entry.id} entry={entry} />
								))}
							</ul>
						)
					}
				</Loaded>
			</CardBody>
		</Card>
	);
}

/** asChange: the log tells an undoing by its action alone. */
const asChange = ({ action, subject }: AuditEntry) => ({
	action,
	subject,
	reverts: action.endsWith(".revert") ? action : null,
});

function Entry({ entry }: { entry: AuditEntry }) {
	return (
		<li>
			<div className="gw-entry">
				<p>
					<strong>{actionTitle(entry.action) ?? <code>{entry.action}</code>}</strong>{" "}
					<bdi>{subjectOf(asChange(entry))}</bdi>
				</p>
				<p className="gw-subtle">
					<bdi>{actorOf(entry.actor)}</bdi>
				</p>
			</div>
			<span className="gw-subtle gw-when">
				<Time value={entry.created_at} />
			</span>
		</li>
	);
}
