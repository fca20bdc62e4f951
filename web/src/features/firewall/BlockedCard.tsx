import { firewallLogOptions } from "@api";
import { useQuery } from "@tanstack/react-query";
import { Link, Loaded, Time } from "@ui";
import { DashCard } from "@ui/DashCard";
import { useTranslation } from "@ui/translation";
import { type Blocked, blockedOf } from "./blocked";

/** BlockedCard is who was turned away lately, as far as the log reaches back. */
export function BlockedCard() {
	const { t } = useTranslation("firewall");
	const query = useQuery({ ...firewallLogOptions(), refetchInterval: 15_000 });
	return (
		<DashCard title={t("blocked.title")} to={logPath()} more={t("log.title")}>
			<Loaded query={query}>{(events) => <Senders blocked={blockedOf(events)} />}</Loaded>
		</DashCard>
	);
}

const logPath = (src?: string) => `/live-log${src ? `?src=${encodeURIComponent(src)}` : ""}`;

function Senders({ blocked }: { blocked: Blocked }) {
	const { t } = useTranslation("firewall");
	if (!blocked.since) return <p className="gw-subtle">{t("blocked.none")}</p>;
	return (
		<>
			<p className="gw-subtle">
				{t("blocked.count", { count: blocked.count })} <Time value={blocked.since} />
			</p>
			<ul className="gw-rows">
				{blocked.sources.map(({ address, count, services }) => (
					<li key={address}>
						<span className="gw-entry">
							<Link to={logPath(address)}>{address}</Link> <span className="gw-subtle">{services.join(", ")}</span>
						</span>
						<span className="gw-subtle">{t("blocked.packets", { count })}</span>
					</li>
				))}
			</ul>
		</>
	);
}
