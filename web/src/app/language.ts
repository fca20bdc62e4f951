import { onMessage, onPageWords } from "@api";
import i18next from "i18next";

export const languages = ["en", "de"] as const;
export type Language = (typeof languages)[number];

/** The messages of app, ui and every feature, by path. */
export type Catalogs = Record<string, Record<string, unknown>>;

const files: Record<Language, () => Promise<{ catalogs: Catalogs }>> = {
	en: () => import("./catalogs/en"),
	de: () => import("./catalogs/de"),
};

/** What the server says: errors, reasons and problems, which most visits never see. */
const texts: typeof files = {
	en: () => import("./catalogs/texts-en"),
	de: () => import("./catalogs/texts-de"),
};

/** What a feature says on its own pages, by path; it comes with the first of them. A visit begins at the two without. */
const pages = import.meta.glob<Record<string, unknown>>(
	["../features/*/messages/*.json", "!../features/{dashboard,sign-in}/messages/*.json"],
	{ import: "default", query: "?page" },
);

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

/** load adds words to those that are there; who shows any of them is drawn anew. */
async function load(language: Language, from: typeof files): Promise<void> {
	const { catalogs } = await from[language]();
	for (const [path, messages] of Object.entries(catalogs))
		i18next.addResourceBundle(language, namespaceOf(path), messages, true, true);
}

const coming = new Map<Language, Promise<void>>();

/** loadTexts loads what the server says in the present language, once; what could not be loaded is tried again. */
async function loadTexts(): Promise<void> {
	const language = i18next.language as Language;
	if (i18next.getResourceBundle(language, "ui")?.texts) return;
	const loading = coming.get(language) ?? load(language, texts).finally(() => coming.delete(language));
	coming.set(language, loading);
	await loading;
}

/** leafOf is the place of the first of some words: "field.name". */
function leafOf(words: Record<string, unknown>): string {
	const [key, inner] = Object.entries(words)[0] ?? ["", ""];
	return typeof inner === "string" ? key : `${key}.${leafOf(inner as Record<string, unknown>)}`;
}

/** addPage adds the words of a feature's pages, once: whoever shows any is drawn anew each time. */
async function addPage(language: Language, id: string): Promise<void> {
	const words = await pages[`../features/${id}/messages/${language}.json`]?.();
	if (words && i18next.getResource(language, id, leafOf(words)) === undefined)
		i18next.addResourceBundle(language, id, words, true, true);
}

const opened = new Set<string>();
let chosen: Language = "en";

/** pageWords loads what a feature says on its pages. A language that is chosen meanwhile, or later, has it too. */
export async function pageWords(id: string): Promise<void> {
	opened.add(id);
	const wanted = new Set([i18next.language as Language, chosen]);
	await Promise.all([...wanted].map((language) => addPage(language, id)));
}

/** startLanguage loads the messages of the chosen language, or else of the browser's. */
export async function startLanguage(): Promise<void> {
	await i18next.init({
		resources: {},
		defaultNS: "app",
		fallbackLng: false,
		interpolation: { escapeValue: false }, // React escapes
	});
	onMessage(loadTexts);
	onPageWords(pageWords);
	await setLanguage(pick([localStorage.getItem(key) ?? "", ...navigator.languages]), false);
}

/** setLanguage changes it at once, and for the next visit when remember is set. */
export async function setLanguage(language: Language, remember = true): Promise<void> {
	chosen = language;
	const said = i18next.getDataByLanguage(i18next.language)?.ui?.texts !== undefined;
	await Promise.all([
		load(language, files),
		said && load(language, texts),
		...[...opened].map((id) => addPage(language, id)),
	]);
	await i18next.changeLanguage(language);
	document.documentElement.lang = language;
	if (remember) localStorage.setItem(key, language);
}
