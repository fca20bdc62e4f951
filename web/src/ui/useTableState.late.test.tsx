import { act, renderHook } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { useTableState } from "./useTableState";

/** A URL that takes its time, as on a page with ten thousand rows. */
const url = vi.hoisted(() => {
	const asked: object[] = [];
	return { search: {} as Record<string, string | undefined>, asked, set: (change: object) => asked.push(change) };
});
vi.mock("./urlState", () => ({ useUrlState: () => [url.search, url.set] }));

beforeEach(() => {
	vi.useFakeTimers();
	url.search = {};
	url.asked.length = 0;
});
afterEach(() => vi.useRealTimers());

test("nothing that was typed is lost when the URL knows it late", () => {
	const { result, rerender } = renderHook(() => useTableState([]));
	const type = (text: string) => act(() => result.current.setTyped(text));
	const paused = () => act(() => vi.advanceTimersByTime(300));
	const arrives = (q: string | undefined) => {
		url.search = q === undefined ? {} : { q };
		rerender();
	};
	type("r");
	paused();
	expect(url.asked).toEqual([{ q: "r" }]);
	rerender();
	expect(result.current.typed).toBe("r");
	type("rule");
	arrives("r");
	expect(result.current.typed).toBe("rule");
	paused();
	expect(url.asked.at(-1)).toEqual({ q: "rule" });
	arrives("rule");
	expect(result.current.typed).toBe("rule");
	// By other means than typing.
	arrives(undefined);
	expect(result.current.typed).toBe("");
	arrives("older");
	expect(result.current.typed).toBe("older");
	paused();
	expect(url.asked.at(-1)).toEqual({ q: "rule" });
});
