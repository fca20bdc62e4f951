import {
	type ApplyState,
	componentsQueryKey,
	connection,
	objectStatesQueryKey,
	queryClient,
	type SystemService,
	servicesQueryKey,
} from "@api";
import { QueryClientProvider } from "@tanstack/react-query";
import { act, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, test } from "vitest";
import { answer, ok } from "../../test/server";
import { ComponentsTab } from "./ComponentsTab";
import { ServicesTab } from "./ServicesTab";

const dns = {
	...{ component: "dns", stage: "held", wanted: "b", installed: "a", observed: "a", error: "", off: [] },
	...{ all_off: false, since: "2026-01-01T00:00:00Z", drift: [], problems: [], keep_edits: false },
} as unknown as ApplyState;

const states = (known: boolean) =>
	queryClient.setQueryData(objectStatesQueryKey({ path: { id: "component" } }), { known, states: {} });

const database = {
	...{ name: "database", component: "", unit: "postgresql@17-main.service", description: "Database (PostgreSQL)" },
	...{ installed: true, active_state: "inactive", sub_state: "dead", boot: "enabled", required: true, off: false },
} as SystemService;

beforeEach(() => {
	queryClient.clear();
	answer({
		// The client unwraps no answers here.
		"GET /system/services": () => Response.json({ services: [database] }),
		"GET /system/components": () => ok([dns]),
		"GET /problems": () => ok({ version: "1", problems: [], counts: {}, unknown: [] }),
		"GET /problems/states/service": () => ok({ known: true, states: {} }),
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

test("that the database is stopped is seen without it", () => {
	const seen = () => queryClient.setQueryData(servicesQueryKey(), { services: [database] });
	seen();
	render(
		<QueryClientProvider client={queryClient}>
			<ServicesTab />
		</QueryClientProvider>,
	);
	act(() => connection.state.set("database"));
	expect(screen.getByText("Stopped")).toBeTruthy();
});
