import { useCan, useHealth } from "@api";
import { AngleDownIcon } from "@patternfly/react-icons";
import { useRouterState } from "@tanstack/react-router";
import type { SectionId } from "@ui/feature";
import { useFeatures } from "@ui/features";
import { Link } from "@ui/Link";
import { useTranslation } from "@ui/translation";
import { useState } from "react";
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
				<Section key={section.id} {...section} />
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

/** Section is a group of entries that can be folded; the browser remembers it. */
function Section({ id, entries }: { id: SectionId; entries: NavEntry[] }) {
	const { t } = useTranslation();
	const [folded, setFolded] = useState(() => foldedSections().includes(id));
	const fold = () => {
		const others = foldedSections().filter((one) => one !== id);
		localStorage.setItem(key, JSON.stringify(folded ? others : [...others, id]));
		setFolded(!folded);
	};
	const title = t(`section.${id}`);
	return (
		<section aria-label={title}>
			{id !== "overview" && (
				<h2>
					<button type="button" aria-expanded={!folded} aria-controls={`nav-${id}`} onClick={fold}>
						{title}
						<AngleDownIcon aria-hidden="true" />
					</button>
				</h2>
			)}
			<ul id={`nav-${id}`} hidden={folded}>
				{entries.map((entry) => (
					<Entry key={entry.to} {...entry} />
				))}
			</ul>
		</section>
	);
}

const key = "gateway.navigation.folded";

/** foldedSections is what the browser remembers; damaged, it is nothing. */
function foldedSections(): string[] {
	try {
		const stored: unknown = JSON.parse(localStorage.getItem(key) ?? "[]");
		return Array.isArray(stored) ? stored.map(String) : [];
	} catch {
		return [];
	}
}

function Entry({ feature, item, to }: NavEntry) {
	const { t } = useTranslation(feature.id);
	const path = useRouterState({ select: (state) => state.location.pathname });
	const active = to === "/" ? path === "/" : path === to || path.startsWith(`${to}/`);
	const Icon = item.icon;
	return (
		<li>
			<Link to={to} className={active ? "gw-current" : undefined}>
				<Icon />
				{t(item.titleKey)}
			</Link>
		</li>
	);
}
