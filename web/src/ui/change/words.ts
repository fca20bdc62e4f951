import type { ChangeRecord } from "@api";
import i18next from "i18next";
import { actionTitle } from "../action";

type Named = Pick<ChangeRecord, "action" | "subject" | "reverts"> & Partial<Pick<ChangeRecord, "objects">>;

/** Subjects that say no more than the action does. */
const plain = new Set(["settings", "cache", "clock"]);

const ns = "ui";

/** The words of a table are in the messages of its feature, or in those of ui. */
const bundles = () => (i18next.store.data[i18next.language] ?? {}) as Record<string, { noun?: Record<string, string> }>;
const everywhere = () => Object.keys(bundles());

/** nounsOf are the kinds of objects, by the names of their tables, as several of them are called. */
export function nounsOf(): { table: string; noun: string }[] {
	return Object.values(bundles())
		.flatMap(({ noun = {} }) => Object.entries(noun))
		.filter(([key]) => key.endsWith("_other") && key !== "other_other")
		.map(([key, words]) => ({ table: key.replace(/_other$/, ""), noun: words }));
}

/** hasNoun says whether there is a word for the rows of a table; those of the others belong to one that has one. */
export const hasNoun = (table: string) => i18next.exists(`noun.${table}_one`, { ns: everywhere() });

/** nounFor is what so many rows of a table are called: "other entries" where there is no word. */
export const nounFor = (table: string, count: number) =>
	i18next.t(hasNoun(table) ? `noun.${table}` : "noun.other", { ns: everywhere(), count });

/** nounOf is what one row of a table is called; undefined for one that has no word. */
export const nounOf = (table: string): string | undefined => (hasNoun(table) ? nounFor(table, 1) : undefined);

/** Most kinds of objects that a title names. */
const most = 3;

/** objectsText is what a change did to how many of what: "200 rules changed". */
export function objectsText(objects: NonNullable<Named["objects"]>): string {
	const told = objects
		.slice(0, most)
		.map(({ table, operation, count }) =>
			i18next.t(`did.${operation}`, { ns, what: `${count} ${nounFor(table, count)}` }),
		);
	return [...told, ...(objects.length > most ? ["…"] : [])].join(", ");
}

/** titleOf is what was done, in words; of several things at once, to how many of what. */
export function titleOf({ action, reverts, objects = [] }: Named): string {
	const words = action === "batch" && objectsText(objects);
	return words || (actionTitle(action) ?? (reverts ? i18next.t("did.revert", { ns }) : action));
}

/** What the server says of a batch whose objects have no names. */
const counted = /^\d+ operations?$/;

/** subjectOf is to what; "" when the title says it. That of an undoing begins with the action that it undid. */
export function subjectOf({ action, subject, reverts, objects = [] }: Named): string {
	const known = objects.length > 0;
	if (action === "batch") return known && counted.test(subject) ? "" : subject;
	const [first = "", ...rest] = subject.split(" ");
	const last = rest.join(" ");
	// How many operations a batch had tells less than what came of them.
	if (reverts && first === "batch" && known && counted.test(last)) return objectsText(objects);
	const undone = reverts && first !== "batch" ? actionTitle(first) : undefined;
	const name = (reverts && (undone || first === "batch") ? last : subject).replace(/(.)\.$/, "$1");
	return [undone, plain.has(name) ? "" : name].filter(Boolean).join(" ");
}

/** actorOf is who; what the gateway did by itself has words. */
export const actorOf = (actor: string) => i18next.t(`actor.${actor}`, { ns, defaultValue: actor });
