import { useCan, useHealth } from "@api";
import { useRouterState } from "@tanstack/react-router";
import { Link } from "@ui/Link";
import { useTranslation } from "react-i18next";
import { useFeatures } from "./FeaturesContext";
import { type NavEntry, navOf } from "./sections";

/** Navigation lists the features by section, and says which node this is. */
export function Navigation({ open }: { open: boolean }) {
	const { t } = useTranslation();
	const admin = useCan("admin");
	const sections = navOf(useFeatures(), admin);
	const { data: health } = useHealth();
	return (
		<nav id="nav" className="gw-nav" aria-label={t("navigation.label")} hidden={!open}>
			{sections.map((section) => (
				<section key={section.id} aria-label={t(`section.${section.id}`)}>
					{section.id !== "overview" && <h2>{t(`section.${section.id}`)}</h2>}
					<ul>
						{section.entries.map((entry) => (
							<Entry key={entry.feature.id} {...entry} />
						))}
					</ul>
				</section>
			))}
			{health && (
				<p className="gw-node">
					<strong title={health.hostname}>{health.hostname}</strong>
					<span>{t("navigation.version", { version: health.version })}</span>
				</p>
			)}
		</nav>
	);
}

function Entry({ feature, to }: NavEntry) {
	const { t } = useTranslation(feature.id);
	const path = useRouterState({ select: (state) => state.location.pathname });
	const active = to === "/" ? path === "/" : path === to || path.startsWith(`${to}/`);
	const Icon = feature.nav!.icon;
	return (
		<li>
			<Link to={to} className={active ? "gw-current" : undefined}>
				<Icon />
				{t(feature.nav!.titleKey)}
			</Link>
		</li>
	);
}
