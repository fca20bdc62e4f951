import type { ChangeRecord } from "@api";
import i18next from "i18next";
import { actionTitle } from "../action";

type Named = Pick<ChangeRecord, "action" | "subject" | "reverts">;

/** Subjects that say no more than the action does. */
const plain = new Set(["settings", "cache", "clock"]);

/** titleOf is what was done, in words. */
export const titleOf = ({ action }: Named) => actionTitle(action) ?? action;

/** subjectOf is to what; "" when the title says it. That of an undoing begins with the action that it undid. */
export function subjectOf({ subject, reverts }: Named): string {
	const [first = "", ...rest] = subject.split(" ");
	const undone = reverts ? actionTitle(first) : undefined;
	const name = (undone ? rest.join(" ") : subject).replace(/(.)\.$/, "$1");
	return [undone, plain.has(name) ? "" : name].filter(Boolean).join(" ");
}

/** actorOf is who; what the gateway did by itself has words. */
export const actorOf = (actor: string) => i18next.t(`actor.${actor}`, { ns: "ui", defaultValue: actor });
