import type { ChangeRecord } from "@api";
import { type Known, stateOf } from "@ui/changeState";

/** canRevert says whether undoing a change makes sense. */
export const canRevert = (change: Known & Pick<ChangeRecord, "rows">) =>
	change.rows > 0 && stateOf(change) !== "undone";
