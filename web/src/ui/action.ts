import i18next from "i18next";

interface Words {
	[name: string]: string | Words;
}

/** flat: { user: { create: "User created" } } → "user.create", "User created". */
const flat = (words: Words, before = ""): [string, string][] =>
	Object.entries(words).flatMap(([name, inner]) =>
		typeof inner === "string" ? [[before + name, inner]] : flat(inner, `${before}${name}.`),
	);

const known = new Map<string, Map<string, string>>();

/**
 * actionTitles are the actions of the audit log in words. Every feature has its own in its
 * messages, below "action"; those of a language come all at once, so they are read once.
 */
export function actionTitles(): ReadonlyMap<string, string> {
	const language = i18next.resolvedLanguage ?? i18next.language;
	let titles = known.get(language);
	if (!titles) {
		const namespaces = Object.values(i18next.getDataByLanguage(language) ?? {}) as { action?: Words }[];
		titles = new Map(namespaces.flatMap(({ action = {} }) => flat(action)));
		known.set(language, titles);
	}
	return titles;
}

const failed = ".failed";

/**
 * actionTitle is undefined for an action that nobody has words for; show it as it is then. What is only
 * done, and changes no row, is told before it is done, and once more if it failed.
 */
export function actionTitle(action: string): string | undefined {
	const title = actionTitles().get(action);
	// Of what nobody has words of their own for, undoing it has.
	if (!title && action.endsWith(".revert")) return i18next.t("did.revert", { ns: "ui" });
	if (title || !action.endsWith(failed)) return title;
	const tried = actionTitles().get(action.slice(0, -failed.length));
	return tried && i18next.t("actionFailed", { ns: "ui", what: tried });
}
