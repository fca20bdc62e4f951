import { useTranslation } from "./translation";

/** useWords are the messages of a namespace, or of a part of it: "dns" or "dns/record" for those below "record". */
export function useWords(of: string) {
	const [ns = of, part] = of.split("/");
	const { t, i18n } = useTranslation(ns, part);
	const has = (key: string) => i18n.exists(part ? `${part}.${key}` : key, { ns });
	return { t, has };
}
