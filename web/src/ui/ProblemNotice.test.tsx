import { objectStatesQueryKey, problemsQueryKey, queryClient } from "@api";
import { QueryClientProvider } from "@tanstack/react-query";
import { render, screen } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { FeaturesProvider } from "./features";
import { ProblemNotice } from "./ProblemNotice";

test("two problems of one kind are told apart by what they are about", () => {
	const complaints = vi.spyOn(console, "error").mockImplementation(() => {});
	const about = (kind: string, id: string) => ({
		...{ code: "kitchen.hot", severity: "error", message: `${id} is hot`, remedy: "Wait.", params: {}, link: "/" },
		...{ subject: { kind, id, name: id }, since: "2026-01-01T00:00:00Z", affects: [], affects_total: 0 },
	});
	queryClient.setQueryData(problemsQueryKey(), {
		...{ version: "1", counts: { critical: 0, error: 2, warning: 0, info: 0 }, unknown: [] },
		problems: [about("service", "toaster"), about("component", "kitchen")] as never,
	});
	render(
		<QueryClientProvider client={queryClient}>
			<ProblemNotice service="toaster" component="kitchen" />
		</QueryClientProvider>,
	);
	expect(screen.getByText("toaster is hot")).toBeTruthy();
	expect(screen.getByText("kitchen is hot")).toBeTruthy();
	expect(complaints).not.toHaveBeenCalled();
});

test("what a service has its state from is told on its page, also when it is about something else", () => {
	const of = (code: string, id: string) => ({
		...{ code, severity: "error", message: `${code} at ${id}`, remedy: "Wait.", params: {}, link: "/" },
		...{ subject: { kind: "interface", id, name: id }, since: "2026-01-01T00:00:00Z", affects: [], affects_total: 0 },
	});
	queryClient.setQueryData(problemsQueryKey(), {
		...{ version: "1", counts: { critical: 0, error: 2, warning: 0, info: 0 }, unknown: [] },
		problems: [of("dhcp.deaf", "eth1"), of("dhcp.deaf", "eth2"), of("network.away", "eth1")] as never,
	});
	const state = { state: "degraded", code: "dhcp.deaf", params: {}, message: "" };
	queryClient.setQueryData(objectStatesQueryKey({ path: { id: "dhcp-server" } }), {
		...{ known: true, states: { dhcp: state } as never },
	});
	render(
		<QueryClientProvider client={queryClient}>
			<FeaturesProvider value={[{ id: "dhcp", routes: [], service: { name: "dhcp", kind: "dhcp-server" } }]}>
				<ProblemNotice service="dhcp" component="dhcp" />
			</FeaturesProvider>
		</QueryClientProvider>,
	);
	expect(screen.getByText("dhcp.deaf at eth1")).toBeTruthy();
	expect(screen.getByText("dhcp.deaf at eth2")).toBeTruthy();
	expect(screen.queryByText("network.away at eth1")).toBeNull();
});

test("what a component leaves out is told on its page, and on no other", () => {
	const left = (component: string) => ({
		...{ code: "kitchen.left_out", severity: "error", message: `left out of ${component}`, remedy: "Wait.", link: "/" },
		...{ params: { component }, subject: { kind: "left_out", id: `${component} record ann`, name: "record ann" } },
		...{ since: "2026-01-01T00:00:00Z", affects: [], affects_total: 0 },
	});
	queryClient.setQueryData(problemsQueryKey(), {
		...{ version: "1", counts: { critical: 0, error: 2, warning: 0, info: 0 }, unknown: [] },
		problems: [left("kitchen"), left("cellar")] as never,
	});
	render(
		<QueryClientProvider client={queryClient}>
			<ProblemNotice service="toaster" component="kitchen" />
		</QueryClientProvider>,
	);
	expect(screen.getByText("left out of kitchen")).toBeTruthy();
	expect(screen.queryByText("left out of cellar")).toBeNull();
});
