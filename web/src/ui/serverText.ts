import i18next from "i18next";

/**
 * serverText words a message of the API in the reader's language. The messages file has
 * them by the server's own sentence, with * for what varies; others stay as they came.
 */
export function serverText(message: string): string {
	const bundle = i18next.getResourceBundle(i18next.language, "ui") as { server?: Record<string, string> } | undefined;
	for (const [pattern, words] of Object.entries(bundle?.server ?? {})) {
		const match = matcher(pattern).exec(message);
		// What varied last is what the translation may repeat: "is used by *".
		if (match) return words.replace("*", match.at(-1) ?? "");
	}
	return message;
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
