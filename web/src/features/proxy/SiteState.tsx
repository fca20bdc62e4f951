import type { ProxyDomain } from "@api";
import { StatusLabel } from "@ui";
import { useTranslation } from "react-i18next";
import { type PoolHealth, poolLooks } from "./health";

/**
 * SiteState is whether a site is served: maintenance is the operator's own doing, and must not
 * be forgotten; a pool that nobody answers for makes the site as dead as switching it off.
 */
export function SiteState({ site, health }: { site: ProxyDomain; health: PoolHealth | undefined }) {
	const { t } = useTranslation("proxy");
	if (!site.active) return <StatusLabel status="neutral">{t("site.off")}</StatusLabel>;
	if (site.maintenance) return <StatusLabel status="warning">{t("site.maintenance")}</StatusLabel>;
	if (health === "down" || health === "empty" || health === "degraded")
		return <StatusLabel status={poolLooks[health]}>{t(`pool.health.${health}`)}</StatusLabel>;
	return <StatusLabel status="success">{t("site.on")}</StatusLabel>;
}
