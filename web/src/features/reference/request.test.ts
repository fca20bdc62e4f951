import { expect, test } from "vitest";
import { curlOf, quote } from "./curl";
import type { Operation } from "./openapi";
import { callOf, jsonError, missing } from "./request";

const operation: Operation = {
	id: "update-user",
	method: "PUT",
	path: "/users/{id}",
	tag: "user",
	summary: "",
	description: "",
	access: "admin",
	parameters: [
		{ name: "id", in: "path", required: true },
		{ name: "q", in: "query" },
		{ name: "If-Match", in: "header" },
	],
	body: { type: "object" },
	answers: [],
	stream: false,
};

test("a request is put together out of what was typed", () => {
	const values = { "path id": "a/b c$&", "query q": "x&y=1", "header If-Match": '"3"' };
	expect(callOf(operation, values, "{}")).toEqual({
		method: "PUT",
		url: "/api/v1/users/a%2Fb%20c%24%26?q=x%26y%3D1",
		headers: { "If-Match": '"3"', "Content-Type": "application/json" },
		body: "{}",
	});
	expect(callOf({ ...operation, body: undefined }, { "path id": "1" }, "")).toEqual({
		method: "PUT",
		url: "/api/v1/users/1",
		headers: {},
	});
});

test("what is missing is told, and dots are no name", () => {
	expect(missing(operation, {}).map(({ name }) => name)).toEqual(["id"]);
	expect(missing(operation, { "path id": ".." })).toHaveLength(1);
	expect(missing(operation, { "path id": "1" })).toEqual([]);
});

test("quotes keep a shell from understanding anything", () => {
	expect(quote("it's $HOME `x`")).toBe("'it'\\''s $HOME `x`'");
});

test("curl sends the same, with a token from the shell", () => {
	const call = callOf(operation, { "path id": "1" }, '{\n "name": "O\'Hara; rm -rf $HOME"\n}');
	expect(curlOf(call, "https://gw1.example.com", true)).toBe(
		[
			"curl -sS -X PUT 'https://gw1.example.com/api/v1/users/1'",
			'-H "Authorization: Bearer $TOKEN"',
			"-H 'Content-Type: application/json'",
			"--data-raw '{\"name\":\"O'\\''Hara; rm -rf $HOME\"}'",
		].join(" \\\n  "),
	);
	const get = { method: "GET", url: "/api/v1/system/health", headers: {} };
	expect(curlOf(get, "https://gw", false)).toBe("curl -sS 'https://gw/api/v1/system/health'");
	expect(curlOf({ ...get, method: "POST", body: "@/etc/passwd" }, "https://gw", false)).toContain("--data-raw '@/etc");
});

test("text that is no JSON is told so", () => {
	expect(jsonError('{"a": 1}')).toBeUndefined();
	expect(jsonError("{")).toBeTruthy();
});
