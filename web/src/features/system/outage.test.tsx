import { type ApplyState, componentsQueryKey, connection, objectStatesQueryKey, queryClient } from "@api";
import { QueryClientProvider } from "@tanstack/react-query";
import { act, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, test } from "vitest";
import { answer, ok } from "../../test/server";
import { ComponentsTab } from "./ComponentsTab";

const dns = {
	...{ component: "dns", stage: "held", wanted: "b", installed: "a", observed: "a", error: "", off: [] },
	...{ all_off: false, since: "2026-01-01T00:00:00Z", drift: [], problems: [], keep_edits: false },
} as unknown as ApplyState;

const states = (known: boolean) =>
	queryClient.setQueryData(objectStatesQueryKey({ path: { id: "component" } }), { known, states: {} });

beforeEach(() => {
	queryClient.clear();
	answer({
		"GET /system/components": () => ok([dns]),
		"GET /problems/states/component": () => ok({ known: true, states: {} }),
	});
});
afterEach(() => connection.state.set("online"));

const show = () => {
	queryClient.setQueryData(componentsQueryKey(), [dns]);
	render(
		<QueryClientProvider client={queryClient}>
			<ComponentsTab />
		</QueryClientProvider>,
	);
};

test("what gateway-apply knows without the database is shown while that is away", () => {
	states(true);
	show();
	act(() => connection.state.set("database"));
	expect(screen.getByText("On hold")).toBeTruthy();
});

test("what was known before is not shown as known now", async () => {
	states(true);
	show();
	act(() => connection.state.set("api"));
	expect(screen.queryByText("On hold")).toBeNull();
	act(() => {
		connection.state.set("database");
		states(false);
	});
	expect(screen.queryByText("On hold")).toBeNull();
});

test("an answer from before the database went away is an old one until it is asked for again", async () => {
	states(true);
	show();
	await act(async () => {
		void queryClient.invalidateQueries({
			queryKey: objectStatesQueryKey({ path: { id: "component" } }),
			refetchType: "none",
		});
		connection.state.set("database");
	});
	expect(screen.queryByText("On hold")).toBeNull();
});
