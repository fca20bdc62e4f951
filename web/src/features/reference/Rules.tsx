import { useTranslation } from "@ui/translation";
import type { Limit } from "./schema";

/** Rules are what a value must keep to. */
export function Rules({ limits }: { limits: Limit[] }) {
	const { t } = useTranslation("reference");
	return limits.map(({ kind, value }) => (
		<small key={kind} className="gw-ref-rule">
			{t(`limit.${kind}`)} <code>{value}</code>
		</small>
	));
}
