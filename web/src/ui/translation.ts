import i18next, { type TFunction } from "i18next";
import { useSyncExternalStore } from "react";

// What of react-i18next is needed here. Its own hook copies the whole i18next object for each component that begins to use
// it: a tenth of what a list takes to scroll.

interface Translation {
	t: TFunction;
	i18n: typeof i18next;
}

/** known are the translations by namespace, of one moment: whoever has one sees by it that words have changed. */
let known = new Map<string, Translation>();
const watching = new Set<() => void>();
let heard: unknown;

function changed(): void {
	known = new Map();
	for (const tell of watching) tell();
}

i18next.on("languageChanged", changed);

/** listen hears of words that came later. There is no store before the start, and another one after the next. */
function listen(): void {
	if (heard === i18next.store) return;
	heard = i18next.store;
	i18next.store.on("added", changed);
	known = new Map();
}

function watch(tell: () => void): () => void {
	watching.add(tell);
	return () => watching.delete(tell);
}

function translationOf(namespace: string, part: string | undefined): Translation {
	listen();
	const name = `${namespace}/${part ?? ""}`;
	const found = known.get(name) ?? { t: i18next.getFixedT(null, namespace, part), i18n: i18next };
	known.set(name, found);
	return found;
}

/** useTranslation gives the words of a feature, or of the app, in the language of the moment; with a part, only those below it. */
export function useTranslation(namespace = "app", part?: string): Translation {
	return useSyncExternalStore(watch, () => translationOf(namespace, part));
}
