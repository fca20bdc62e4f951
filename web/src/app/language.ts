import i18next from "i18next";
import { initReactI18next } from "react-i18next";

export const languages = ["en", "de"] as const;
export type Language = (typeof languages)[number];

/** The messages of app, ui and every feature, by path. */
export type Catalogs = Record<string, Record<string, unknown>>;

const files: Record<Language, () => Promise<{ catalogs: Catalogs }>> = {
	en: () => import("./catalogs/en"),
	de: () => import("./catalogs/de"),
};

const key = "gateway.language";

/** pick is the first language we speak of those somebody understands. */
export function pick(understood: readonly string[]): Language {
	const short = understood.map((tag) => tag.slice(0, 2).toLowerCase());
	return languages.find((language) => language === short.find((tag) => languages.includes(tag as Language))) ?? "en";
}

/** namespaceOf: "../messages/en.json" → "app", "../../features/users/messages/en.json" → "users". */
export function namespaceOf(path: string): string {
	const folder = path.split("/").at(-3);
	return folder === undefined || folder === ".." ? "app" : folder;
}

async function load(language: Language): Promise<void> {
	const { catalogs } = await files[language]();
	for (const [path, messages] of Object.entries(catalogs))
		i18next.addResourceBundle(language, namespaceOf(path), messages);
}

/** startLanguage loads the messages of the chosen language, or else of the browser's. */
export async function startLanguage(): Promise<void> {
	await i18next.use(initReactI18next).init({
		resources: {},
		defaultNS: "app",
		fallbackLng: false,
		interpolation: { escapeValue: false }, // React escapes
		react: { useSuspense: false },
	});
	await setLanguage(pick([localStorage.getItem(key) ?? "", ...navigator.languages]), false);
}

/** setLanguage changes it at once, and for the next visit when remember is set. */
export async function setLanguage(language: Language, remember = true): Promise<void> {
	await load(language);
	await i18next.changeLanguage(language);
	document.documentElement.lang = language;
	if (remember) localStorage.setItem(key, language);
}
