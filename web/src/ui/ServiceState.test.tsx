import {
	connection,
	objectStatesQueryKey,
	type ProblemsUnknown,
	problemsQueryKey,
	queryClient,
	type SystemService,
} from "@api";
import { QueryClientProvider } from "@tanstack/react-query";
import { act, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Feature } from "./feature";
import { FeaturesProvider } from "./features";
import { ServiceState } from "./ServiceState";

const toaster = {
	name: "toaster",
	component: "kitchen",
	active_state: "active",
	installed: true,
	required: true,
} as SystemService;

const features: Feature[] = [
	{ id: "dhcp", routes: [], service: { name: "dhcp", kind: "dhcp-server" } },
	{ id: "forwardproxy", routes: [], service: { name: "forward-proxy", kind: "forward-proxy" } },
];

/** told is what the server says of the state of objects of a kind. */
const told = (kind: string, states: Record<string, unknown> = {}) =>
	queryClient.setQueryData(objectStatesQueryKey({ path: { id: kind } }), { known: true, states: states as never });

const show = (service: SystemService, ...unknown: string[]) => {
	const silent = unknown.map((component) => ({ component, message: "" }) as ProblemsUnknown);
	const counts = { critical: 0, error: 0, warning: 0, info: 0 };
	queryClient.setQueryData(problemsQueryKey(), { version: "1", problems: [], counts, unknown: silent });
	render(
		<QueryClientProvider client={queryClient}>
			<FeaturesProvider value={features}>
				<ServiceState service={service} current />
			</FeaturesProvider>
		</QueryClientProvider>,
	);
};

beforeEach(() => {
	queryClient.clear();
	told("service");
});
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

const dhcp = { ...toaster, name: "dhcp", component: "dhcp" };
const because = (state: string) => ({ state, code: "kitchen.cold", params: {}, message: "Nobody listens" });

test.each([
	["degraded", "Degraded", "warning"],
	["failed", "Failed", "danger"],
])("the word for a service that is %s comes from the server, whatever the problem is about", (state, word, look) => {
	told("dhcp-server", { dhcp: because(state) });
	show(dhcp);
	const label = screen.getByText(word);
	expect(label.closest("[data-status]")?.getAttribute("data-status")).toBe(look);
	expect(screen.getByTitle("Nobody listens.")).toBeTruthy();
});

test("a severe problem does not make a degraded service a failed one", () => {
	told("forward-proxy", { "forward-proxy": because("degraded") });
	const squid = { ...toaster, name: "forward-proxy", component: "forwardproxy" };
	const subject = { kind: "service", id: "forward-proxy", name: "Forward proxy" };
	const problem = { ...because(""), severity: "error", remedy: "", link: "/", subject, affects: [], affects_total: 0 };
	show(squid);
	act(() => {
		queryClient.setQueryData(problemsQueryKey(), (list) => list && { ...list, problems: [problem] as never });
	});
	expect(screen.getByText("Degraded")).toBeTruthy();
	expect(screen.queryByText("Failed")).toBeNull();
});

test("that a unit runs does not say that it does its job", () => {
	show(dhcp);
	expect(screen.getByText("Unknown")).toBeTruthy();
});
