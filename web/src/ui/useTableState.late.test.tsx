import { act, renderHook } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { useTyped } from "./useTableState";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("nothing that was typed is lost when the URL knows it late", () => {
	const sent: string[] = [];
	const send = (text: string) => void sent.push(text);
	const { result, rerender } = renderHook(({ url }) => useTyped(url, send), { initialProps: { url: "" } });
	const typed = () => result.current[0];
	const type = (text: string) => act(() => result.current[1](text));
	const paused = () => act(() => void vi.advanceTimersByTime(300));
	type("r");
	paused();
	expect(sent).toEqual(["r"]);
	rerender({ url: "" });
	expect(typed()).toBe("r");
	type("rule");
	rerender({ url: "r" });
	expect(typed()).toBe("rule");
	paused();
	expect(sent).toEqual(["r", "rule"]);
	rerender({ url: "rule" });
	expect(typed()).toBe("rule");
	// By other means than typing.
	rerender({ url: "" });
	expect(typed()).toBe("");
	rerender({ url: "older" });
	expect(typed()).toBe("older");
	paused();
	expect(sent).toEqual(["r", "rule"]);
});
