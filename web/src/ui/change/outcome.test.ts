import { setUp } from "@api";
import { beforeAll, beforeEach, expect, test, vi } from "vitest";
import { ok } from "../../test/server";
import { toasts } from "../toast";
import { tellUnconfirmed } from "./outcome";

const answer = (confirm_state: string | null, actor = "confirm-timeout") =>
	vi.stubGlobal("fetch", async ({ url }: Request) =>
		ok(url.endsWith("/c2") ? { id: "c2", actor } : { id: "c1", confirm_state, reverted_by: "c2" }),
	);

beforeAll(setUp);
beforeEach(() => toasts.set([]));

test("a change that nobody confirmed is told, and stays told", async () => {
	answer("reverted");
	await tellUnconfirmed("c1", "Zone created: example.com, by ann");
	expect(toasts.get()).toMatchObject([{ variant: "danger", detail: "Zone created: example.com, by ann" }]);
});

test("one that somebody else confirmed in the last second is not", async () => {
	answer("confirmed");
	await tellUnconfirmed("c1", undefined);
	expect(toasts.get()).toEqual([]);
});

test("one that somebody undid in the last second is not", async () => {
	answer("reverted", "ann@example.com");
	await tellUnconfirmed("c1", undefined);
	expect(toasts.get()).toEqual([]);
});
