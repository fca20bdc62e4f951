import type { SysInterface } from "@api";
import { Card, CardBody, CardHeader, CardTitle } from "@patternfly/react-core";
import { useUrlState } from "@ui";
import type { History } from "@ui/history";
import { useTranslation } from "@ui/translation";
import { LinkChart } from "./LinkChart";
import { chosen, toggled } from "./links";

/** Throughput shows what goes through the links; which ones is in the URL. */
export function Throughput({ history }: { history: History<SysInterface[]> }) {
	const { t } = useTranslation("dashboard");
	const [search, set] = useUrlState();
	const links = history.last ?? [];
	const shown = chosen(links, search.links);
	const toggle = (name: string) => set({ links: toggled(shown, name) });
	const choice = links.length > 1 && (
		<fieldset className="gw-links-choice" aria-label={t("throughput.choose")}>
			{links.map(({ ifname }) => (
				<button
					key={ifname}
					type="button"
					aria-pressed={shown.some((link) => link.ifname === ifname)}
					onClick={() => toggle(ifname)}
				>
					{ifname}
				</button>
			))}
		</fieldset>
	);
	return (
		<Card isCompact>
			<CardHeader className="gw-card-head">
				<CardTitle component="h2">{t("throughput.title")}</CardTitle>
				{choice}
			</CardHeader>
			<CardBody>
				<div className="gw-links">
					{shown.map((link) => (
						<LinkChart key={link.ifname} link={link} points={history.points} />
					))}
				</div>
				{shown.length === 0 && <p className="gw-subtle">{t("throughput.none")}</p>}
			</CardBody>
		</Card>
	);
}
