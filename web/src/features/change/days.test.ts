import { expect, test } from "vitest";
import { between } from "./days";

const at = (...parts: [number, number, number]) => new Date(...parts).toISOString();

test.each([
	["a day is all of it", "2026-11-16", "2026-11-16", { since: at(2026, 10, 16), until: at(2026, 10, 17) }],
	["a month ends with its last day", "2026-11-30", "2026-11-30", { since: at(2026, 10, 30), until: at(2026, 11, 1) }],
	["one end may be open", "", "2026-11-16", { since: undefined, until: at(2026, 10, 17) }],
	["what is no day is not asked for", "soon", undefined, { since: undefined, until: undefined }],
])("%s", (_, from, to, want) => expect(between(from, to)).toEqual(want));
