import i18next from "i18next";

/** Said is a message of the API: in English, and by its id and parameters. */
export interface Said {
	message: string;
	/** The format that the server made the message from. It is the id of the message. */
	text?: string;
	/** What the server filled in, in the order of the format. */
	params?: string[] | null;
}

type Block = Record<string, string>;

/** serverText words a message of the API in the reader's language; one without an entry stays in English. */
export function serverText({ message, text, params }: Said): string {
	if (!text) return message;
	const words = wordsOf(text);
	return words === undefined ? english(text, params ?? []) : filled(words, params ?? []);
}

/** english is the format itself, filled in: the message of a batch also says which operation it was. */
function english(text: string, params: string[]): string {
	let at = 0;
	const said = text.replace(/%[-+# 0]*[\d.]*([a-zA-Z%])/g, (_, verb) => (verb === "%" ? "%" : (params[at++] ?? "")));
	// A parameter may be a name, which keeps its letters.
	return text.startsWith("%") ? said : said.slice(0, 1).toUpperCase() + said.slice(1);
}

/** find looks into a block of the catalogs of ui and of all features. */
function find(block: "texts" | "noun", key: string): string | undefined {
	const bundles = Object.values(i18next.store.data[i18next.language] ?? {}) as Partial<Record<typeof block, Block>>[];
	return bundles.find((bundle) => bundle[block]?.[key] !== undefined)?.[block]?.[key];
}

const wordsOf = (text: string) => find("texts", text);

/** filled puts the parameters in: {{0}} as it is, {{0, noun}} as the word for a thing, {{0, text}} as a message. */
function filled(words: string, params: string[]): string {
	return words.replace(/\{\{(\d+)(?:, (\w+))?\}\}/g, (_, at: string, form?: string) => {
		const param = params[Number(at)] ?? "";
		if (form === "noun") return nounOf(param);
		return form === "text" ? (wordsOf(param) ?? param) : param;
	});
}

/** nounOf is what people call a kind of object. */
const nounOf = (name: string) => find("noun", name.replace(/[-_]/g, " ")) ?? name;
