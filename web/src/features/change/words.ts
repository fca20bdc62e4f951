import type { ChangeRecord } from "@api";
import { actionTitle } from "@ui";

type Named = Pick<ChangeRecord, "action" | "subject" | "reverts">;

/** titleOf is what was done, in words. */
export const titleOf = ({ action }: Named) => actionTitle(action) ?? action;

/** subjectOf is to what. That of an undoing begins with the action that it undid. */
export function subjectOf({ subject, reverts }: Named): string {
	const [first = "", ...rest] = subject.split(" ");
	const undone = reverts ? actionTitle(first) : undefined;
	return undone ? `${undone} ${rest.join(" ")}`.trim() : subject;
}
