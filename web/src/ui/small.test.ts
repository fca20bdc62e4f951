import { expect, test } from "vitest";
import { differences } from "./ConflictDialog";
import { sentence } from "./errorText";
import { leaves } from "./LeaveGuard";
import { strengthOf } from "./strength";

test("the server's words become a sentence", () => {
	expect(sentence("must be an e-mail address")).toBe("Must be an e-mail address.");
	expect(sentence("Done.")).toBe("Done.");
});

test("a conflict shows where the two versions differ, and only what I sent", () => {
	const theirs = { email: "a@b.c", role: "admin", active: true };
	expect(differences(["email", "role", "password"], theirs, { email: "a@b.c", role: "viewer" })).toEqual([
		["role", "admin", "viewer"],
	]);
});

test("leaving is another page or a closed dialog, not another filter", () => {
	expect(leaves({ pathname: "/users", search: { do: "edit" } }, { pathname: "/users", search: {} })).toBe(true);
	expect(leaves({ pathname: "/users", search: {} }, { pathname: "/", search: {} })).toBe(true);
	expect(leaves({ pathname: "/users", search: { q: "a" } }, { pathname: "/users", search: { q: "b" } })).toBe(false);
});

test("a password that only repeats or counts on is weak", () => {
	expect(strengthOf("short")).toBe(0);
	expect(strengthOf("aaaaaaaaaaaaaaaa")).toBe(1);
	expect(strengthOf("abcdefghijklmnop")).toBe(1);
	expect(strengthOf("correct horse battery")).toBeGreaterThanOrEqual(3);
});
