import { useTranslation } from "react-i18next";
import { useWords } from "./words";

/** useValueText words the value of a field: yes and no, an option's own words, lists with commas. */
export function useValueText(ns: string): (name: string, value: unknown) => string {
	const { t } = useTranslation("ui");
	const { t: own, has } = useWords(ns);
	return (name, value) => {
		if (typeof value === "boolean") return value ? t("yes") : t("no");
		if (Array.isArray(value)) return value.length === 0 ? "–" : value.join(", ");
		if (value === null || value === undefined || value === "") return "–";
		const option = `option.${name}.${String(value)}`;
		return has(option) ? own(option) : typeof value === "object" ? JSON.stringify(value) : String(value);
	};
}
