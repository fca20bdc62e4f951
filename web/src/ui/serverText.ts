import { askForWords, type FaultWords } from "@api";
import i18next from "i18next";
import { actionTitle } from "./action";

/** Said is a message of the API: in English, and by its id and parameters, some of which may be messages themselves. */
export interface Said extends FaultWords {
	message: string;
}

type Block = Record<string, string>;

/** serverText words a message of the API in the reader's language; one without an entry stays in English. */
export function serverText(said: Said): string {
	const { text } = said;
	const told = partText(said);
	// A parameter may be a name, which keeps its letters.
	if (!text || wordsOf(text) !== undefined || text.startsWith("%")) return told;
	return told.slice(0, 1).toUpperCase() + told.slice(1);
}

/** partText is serverText for a part of another sentence: in English it begins as it came. */
export function partText({ message, text, params = [], nested = {} }: Said): string {
	if (!text) return message;
	const told = params.map((param, at) => partText({ message: param, ...nested[at] }));
	const words = wordsOf(text);
	return words === undefined ? english(text, told) : filled(words, told);
}

/** english is the format itself, filled in: the message of a batch also says which operation it was. */
function english(text: string, params: string[]): string {
	let at = 0;
	return text.replace(/%[-+# 0]*[\d.]*([a-zA-Z%])/g, (_, verb) => (verb === "%" ? "%" : (params[at++] ?? "")));
}

/** find looks into a block of the catalogs of ui and of all features. */
function find(block: "texts" | "noun", key: string): string | undefined {
	const bundles = Object.values(i18next.store.data[i18next.language] ?? {}) as Partial<Record<typeof block, Block>>[];
	return bundles.find((bundle) => bundle[block]?.[key] !== undefined)?.[block]?.[key];
}

/** wordsOf has none before they are loaded, which this asks for; then whoever shows the message is drawn anew. */
function wordsOf(text: string): string | undefined {
	const words = find("texts", text);
	if (words === undefined) void askForWords();
	return words;
}

/** filled puts the parameters in: {{0}} as it is, {{0, noun}} as the word for a thing, {{0, action}} as a change, {{0, text}} as a message. */
function filled(words: string, params: string[]): string {
	return words.replace(/\{\{(\d+)(?:, (\w+))?\}\}/g, (_, at: string, form?: string) => {
		const param = params[Number(at)] ?? "";
		if (form === "noun") return nounOf(param);
		if (form === "action") return actionOf(param);
		return form === "text" ? (wordsOf(param) ?? param) : param;
	});
}

/** actionOf is what a change did, and to what: "dns.zone.create home.arpa". */
function actionOf(param: string): string {
	const [action = "", ...subject] = param.split(" ");
	return [actionTitle(action) ?? action, subject.join(" ")].filter(Boolean).join(": ");
}

/** nounOf is what people call a kind of object. */
const nounOf = (name: string) => find("noun", name.replace(/[-_]/g, " ")) ?? name;

/** kindText is that at the beginning of a line. */
export function kindText(kind: string): string {
	const name = kind.replace(/-/g, " ");
	const noun = nounOf(name);
	return noun.slice(0, 1).toUpperCase() + noun.slice(1);
}
