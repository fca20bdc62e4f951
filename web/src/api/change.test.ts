import { expect, test } from "vitest";
import { headersOf, outcomeOf, shortened, tryOut } from "./change";

const answer = (headers: Record<string, string>) => new Response(null, { headers });

test("a reason goes out as UTF-8, on one line, and is cut between letters", () => {
	const { "Gateway-Reason": sent } = headersOf({ reason: " Büro\n zieht um → 3. Stock " });
	expect(Buffer.from(sent!, "latin1").toString("utf8")).toBe("Büro zieht um → 3. Stock");
	expect(() => new Headers({ "Gateway-Reason": sent! })).not.toThrow();
	const long = shortened("ä".repeat(300));
	expect(new TextEncoder().encode(long).length).toBe(500);
	expect(shortened("x→".repeat(200)).endsWith("→")).toBe(true);
	expect(headersOf({ reason: "   " })).toEqual({});
});

test("what is only tried out waits for nobody", () => {
	expect(headersOf({ dryRun: true, confirmWithin: 90 })).toEqual({ "Gateway-Dry-Run": "true" });
	expect(headersOf({ confirmWithin: 90 })).toEqual({ "Gateway-Confirm-Within": "90" });
});

test("the outcome is read back, and a failed change does not wait but goes back", () => {
	expect(outcomeOf(answer({}))).toBeUndefined();
	expect(outcomeOf(answer({ "Gateway-Change": "1", "Gateway-Apply": "live" }), { confirmWithin: 5 })).toEqual({
		change: "1",
		apply: "live",
		waits: true,
	});
	const why = Buffer.from("Adresse gehört niemandem").toString("latin1");
	const failed = answer({ "Gateway-Change": "1", "Gateway-Apply": "failed", "Gateway-Apply-Reason": why });
	expect(outcomeOf(failed, { confirmWithin: 5 })).toEqual({
		change: "1",
		apply: "failed",
		reason: "Adresse gehört niemandem",
		waits: false,
		reverts: true,
	});
});

test("what concerns no daemon does not wait, whatever was asked", () => {
	expect(outcomeOf(answer({ "Gateway-Change": "1" }), { confirmWithin: 5 })).toEqual({
		change: "1",
		waits: false,
		atOnce: true,
	});
	expect(outcomeOf(answer({ "Gateway-Change": "1" }))).toEqual({ change: "1", waits: false });
});

test("the words of a reason are read back, with those of its parameters", () => {
	const letters = (text: string) => Buffer.from(text).toString("latin1");
	const nested = { "1": { text: "the interface is in use" } };
	const headers = {
		"Gateway-Change": "1",
		"Gateway-Apply": "failed",
		"Gateway-Apply-Text": "the kernel refused %s: %s",
		"Gateway-Apply-Params": letters(JSON.stringify(["Brücke", "the interface is in use"])),
	};
	const words = { text: "the kernel refused %s: %s", params: ["Brücke", "the interface is in use"] };
	expect(outcomeOf(answer(headers))?.words).toEqual(words);
	expect(outcomeOf(answer({ ...headers, "Gateway-Apply-Nested": JSON.stringify(nested) }))?.words).toEqual({
		...words,
		nested,
	});
});

test("a dry run asks for one", async () => {
	let sent = {};
	const plan = { rows: [], files: [] };
	const out = await tryOut((headers) => {
		sent = headers;
		return Promise.resolve({ data: plan, response: answer({}) });
	});
	expect(sent).toEqual({ "Gateway-Dry-Run": "true" });
	expect(out).toBe(plan);
});
