import "./cert.css";
import { Figures, formatNumber, later, Page, UrlTabs, Waiting } from "@ui";
import { useTranslation } from "@ui/translation";
import { Suspense } from "react";
import { CertificatesTab } from "./CertificatesTab";
import { ProvidersTab } from "./ProvidersTab";
import { useSummary } from "./requests";

// Most visits look; forms are heavy.
const AuthorityTab = later("authority", () => import("./AuthorityTab"));

/** CertificatesPage is what the sites show to browsers, and whether it lasts. */
export default function CertificatesPage() {
	const { t } = useTranslation("cert");
	const tabs = [
		{
			id: "certificates",
			title: t("tab.certificates"),
			content: (
				<>
					<Summary />
					<CertificatesTab />
				</>
			),
		},
		{ id: "providers", title: t("tab.providers"), content: <ProvidersTab /> },
		{
			id: "authority",
			title: t("tab.authority"),
			content: (
				<Suspense fallback={<Waiting height="18rem" />}>
					<AuthorityTab />
				</Suspense>
			),
		},
	];
	return (
		<Page title={t("title")} description={t("lead")}>
			<UrlTabs label={t("title")} tabs={tabs} />
		</Page>
	);
}

/** Summary counts them by how they stand; none needs no counting. */
function Summary() {
	const { t } = useTranslation("cert");
	const summary = useSummary();
	if (!summary || summary.total === 0) return null;
	const items = (["total", "expiring", "expired", "errors"] as const).map((name) => ({
		title: t(`summary.${name}`),
		value: formatNumber(summary[name]),
	}));
	return (
		<div className="gw-cert-summary">
			<Figures label={t("summary.label")} items={items} />
		</div>
	);
}
