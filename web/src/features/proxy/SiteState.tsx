import type { ProxyDomain } from "@api";
import { StatusLabel } from "@ui";
import { useTranslation } from "react-i18next";
import { type PoolHealth, poolLooks } from "./health";

/**
 * SiteState is whether a site is served: maintenance is the operator's own doing, and must not
 * be forgotten; a pool that nobody answers for makes the site as dead as switching it off.
 */
export function SiteState({ site, health }: { site: ProxyDomain; health: PoolHealth }) {
	const { t } = useTranslation("proxy");
	if (!site.active) return <StatusLabel status="neutral">{t("site.off")}</StatusLabel>;
	if (site.maintenance) return <StatusLabel status="warning">{t("site.maintenance")}</StatusLabel>;
	if (!site.backend_id) return <StatusLabel status="warning">{t("site.noPool")}</StatusLabel>;
	if (health === "off") return <StatusLabel status="warning">{t("site.poolOff")}</StatusLabel>;
	if (health === "up") return <StatusLabel status="success">{t("site.on")}</StatusLabel>;
	return <StatusLabel status={poolLooks[health]}>{t(`pool.health.${health}`)}</StatusLabel>;
}
