import type { Field } from "./fields";
import { useTranslation } from "./translation";
import { unitText } from "./units";
import { useWords } from "./words";

/** useValueText words the value of a field: yes and no, an option's own words, lists with commas, numbers with their unit. */
export function useValueText(ns: string, fields: Pick<Field, "name" | "unit">[] = []) {
	const { t } = useTranslation("ui");
	const { t: own, has } = useWords(ns);
	return (name: string, value: unknown): string => {
		if (typeof value === "boolean") return value ? t("yes") : t("no");
		if (Array.isArray(value)) return value.length === 0 ? "–" : value.join(", ");
		if (value === null || value === undefined || value === "") return "–";
		const unit = fields.find((field) => field.name === name)?.unit;
		if (unit && typeof value === "number")
			return value === 0 && has(`zero.${name}`) ? own(`zero.${name}`) : unitText(unit, value);
		const option = `option.${name}.${String(value)}`;
		return has(option) ? own(option) : typeof value === "object" ? JSON.stringify(value) : String(value);
	};
}
