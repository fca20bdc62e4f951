import type { SysResources, SystemHealth } from "@api";
import { formatDuration, formatNumber } from "@ui";
import { useTranslation } from "@ui/translation";

interface Props {
	health: SystemHealth | undefined;
	resources: SysResources | undefined;
}

/** Facts says in one line which node this is and how it is. */
export function Facts({ health, resources }: Props) {
	const { t } = useTranslation("dashboard");
	const load = resources && [resources.load1, resources.load5, resources.load15];
	const items = [
		["node", health?.hostname],
		["version", health?.version],
		["os", health?.os],
		["uptime", resources && formatDuration(resources.uptime_seconds)],
		["load", load?.map((one) => formatNumber(one, 2)).join("  ·  ")],
	] as const;
	return (
		<dl className="gw-facts">
			{items
				.filter(([, value]) => value)
				.map(([name, value]) => (
					<div key={name} title={name === "load" ? t("fact.loadHint") : undefined}>
						<dt>{t(`fact.${name}`)}</dt>
						<dd>{value}</dd>
					</div>
				))}
		</dl>
	);
}
