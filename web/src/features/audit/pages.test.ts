import type { AuditEntry } from "@api";
import { expect, test } from "vitest";
import { addLive, nextOf, order, type Pages, trimmed } from "./pages";
import { held } from "./useHold";

const at = (seq: number, more: Partial<AuditEntry> = {}): AuditEntry => ({
	id: `id-${more.node_id ?? "a"}-${seq}`,
	created_at: new Date(Date.UTC(2026, 1, 3, 10, 0, seq)).toISOString().replace("Z", "001Z"),
	actor: "ann@example.com",
	action: "user.create",
	subject: "bob@example.com",
	detail: {},
	node_id: "a",
	seq,
	...more,
});
const down = (from: number, to: number) => Array.from({ length: from - to + 1 }, (_, i) => at(from - i));
const pages = (...list: AuditEntry[][]): Pages => ({
	pages: list,
	pageParams: list.map((_, i) => (i ? { before: "", before_seq: i } : null)),
});

test("a full page goes on after its last entry, a short one ends the log", () => {
	expect(nextOf(down(100, 1), null)).toEqual({ before: at(1).created_at, before_seq: 1 });
	expect(nextOf(down(99, 1), null)).toBeUndefined();
	expect(nextOf(down(100, 1), { before: "x", before_seq: 1 })).toBeUndefined();
	expect(nextOf([], null)).toBeUndefined();
});

test("entries are newest first, to the microsecond", () => {
	const times = ["2026-02-03T10:00:42Z", "2026-02-03T10:00:42.36Z", "2026-02-03T10:00:42.361Z"];
	const sorted = times.map((created_at, i) => at(i, { created_at })).sort(order);
	expect(sorted.map((entry) => entry.created_at)).toEqual(times.toReversed());
	expect(order(at(1, { created_at: "x" }), at(2, { created_at: "x" }))).toBeGreaterThan(0);
});

test("the stream's snapshot adds nothing twice", () => {
	const old = pages(down(200, 101), down(100, 1));
	const same = addLive(old, down(200, 151).reverse());
	expect(same.pages).toBe(old);
	const { pages: now, added, gap } = addLive(old, [at(200), at(201), at(201), at(202)]);
	expect(added.map((entry) => entry.seq)).toEqual([201, 202]);
	expect(now.pages[0]?.slice(0, 3).map((entry) => entry.seq)).toEqual([202, 201, 200]);
	expect(new Set(now.pages.flat().map((entry) => entry.id)).size).toBe(202);
	expect(gap).toBe(false);
});

test("what belongs to a later page is left to it", () => {
	const old = pages(down(200, 101));
	expect(addLive(old, [at(100), at(60)]).added).toEqual([]);
	expect(addLive(pages([]), [at(1)]).added).toHaveLength(1);
});

test("a missed entry is noticed, and another node's numbers are no gap", () => {
	const old = pages(down(10, 1));
	expect(addLive(old, [at(12)]).gap).toBe(true);
	expect(addLive(old, [at(12), at(11)]).gap).toBe(false);
	expect(addLive(old, [at(90, { node_id: "b", created_at: at(30).created_at })]).gap).toBe(false);
});

test("a log that was watched for long forgets its older part", () => {
	const small = pages(down(2_000, 1));
	expect(trimmed(small)).toBe(small);
	const now = trimmed(pages(down(2_100, 101), down(100, 1)));
	expect(now.pages.map((page) => page.length)).toEqual([2000, 100]);
	const cut = trimmed(pages(down(2_101, 101), down(100, 1)));
	expect(cut.pages.map((page) => page.length)).toEqual([500]);
	expect(nextOf(cut.pages[0]!, cut.pageParams[0]!)).toBeDefined();
});

test("a held list keeps its top and counts what waits", () => {
	const list = down(10, 1);
	expect(held(list, "id-a-8")).toEqual({ shown: down(8, 1), waiting: 2 });
	expect(held(list, undefined).shown).toBe(list);
	expect(held(list, "gone").shown).toBe(list);
});
