import { setUp } from "@api";
import { beforeAll, beforeEach, expect, test, vi } from "vitest";
import { ok } from "../../test/server";
import { toasts } from "../toast";
import { tellUnconfirmed } from "./outcome";

const answer = (confirm_state: string | null) => vi.stubGlobal("fetch", async () => ok({ id: "c1", confirm_state }));

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
