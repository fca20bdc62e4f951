import type { ProxyDomain } from "@api";
import { StatusLabel } from "@ui";
import { useTranslation } from "react-i18next";

/** SiteState is whether a site is served: maintenance is the operator's own doing, and must not be forgotten. */
export function SiteState({ site }: { site: ProxyDomain }) {
	const { t } = useTranslation("proxy");
	if (!site.active) return <StatusLabel status="neutral">{t("site.off")}</StatusLabel>;
	if (site.maintenance) return <StatusLabel status="warning">{t("site.maintenance")}</StatusLabel>;
	return <StatusLabel status="success">{t("site.on")}</StatusLabel>;
}
