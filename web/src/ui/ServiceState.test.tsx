import { connection, type ProblemsUnknown, problemsQueryKey, queryClient, type SystemService } from "@api";
import { QueryClientProvider } from "@tanstack/react-query";
import { render, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ServiceState } from "./ServiceState";

const toaster = {
	name: "toaster",
	component: "kitchen",
	active_state: "active",
	installed: true,
	required: true,
} as SystemService;

const show = (service: SystemService, ...unknown: string[]) => {
	const silent = unknown.map((component) => ({ component, message: "" }) as ProblemsUnknown);
	const counts = { critical: 0, error: 0, warning: 0, info: 0 };
	queryClient.setQueryData(problemsQueryKey(), { version: "1", problems: [], counts, unknown: silent });
	render(
		<QueryClientProvider client={queryClient}>
			<ServiceState service={service} current />
		</QueryClientProvider>,
	);
};

beforeEach(() => queryClient.clear());
afterEach(() => connection.state.set("online"));

test("a service belongs to the component that the server says, whatever it is called", () => {
	show(toaster, "kitchen");
	expect(screen.getByText("Unknown")).toBeTruthy();
});

test("of another component nobody has to know", () => {
	show(toaster, "toaster", "garage");
	expect(screen.getByText("Running")).toBeTruthy();
});

test("a service of no component is as systemd says", () => {
	show({ ...toaster, component: "" }, "kitchen");
	expect(screen.getByText("Running")).toBeTruthy();
});

test("nobody knows how a service is while the server is away", () => {
	connection.state.set("api");
	show(toaster);
	expect(screen.getByText("Unknown")).toBeTruthy();
});
