import type { ProblemsList } from "@api";
import { expect, test } from "vitest";
import { unexplained } from "./problemStore";

const unknown = (component: string, text: string) => ({ component, message: text, text });
const list = (codes: string[], ...reasons: ReturnType<typeof unknown>[]) =>
	({ problems: codes.map((code) => ({ code })), unknown: reasons }) as Pick<ProblemsList, "problems" | "unknown">;

test.each([
	["the outage is listed", ["system.database_down"], "the database does not answer", 0],
	["it is not listed yet", [], "the database does not answer", 2],
	["another reason", ["system.database_down"], "no answer within 2s", 2],
])("one cause is counted once: %s", (_, codes, reason, left) => {
	expect(unexplained(list(codes, unknown("dns", reason), unknown("proxy", reason)))).toHaveLength(left);
});
