import i18next from "i18next";

/**
 * serverText words a message of the API in the reader's language. The messages file has
 * them by the server's own sentence, with * for what varies; others stay as they came.
 */
export function serverText(message: string): string {
	const bundle = i18next.getResourceBundle(i18next.language, "ui") as { server?: Record<string, string> } | undefined;
	for (const [pattern, words] of Object.entries(bundle?.server ?? {})) {
		const match = matcher(pattern).exec(message);
		if (match) return filled(words, match.slice(1));
	}
	return message;
}

/** filled puts what varied into a translation: one * is what varied last ("is used by *"), several are all in their order. */
function filled(words: string, varied: string[]): string {
	const places = words.split("*").length - 1;
	const given = places === 1 ? varied.slice(-1) : varied;
	return given.reduce((text, one) => text.replace("*", () => one), words);
}

const matchers = new Map<string, RegExp>();

function matcher(pattern: string): RegExp {
	let made = matchers.get(pattern);
	if (!made) {
		const parts = pattern.split("*").map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
		made = new RegExp(`^${parts.join("(.+)")}$`, "s");
		matchers.set(pattern, made);
	}
	return made;
}
