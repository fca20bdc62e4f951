import { connection, meQueryKey, problemsQueryKey, queryClient, session, setUp } from "@api";
import { QueryClientProvider } from "@tanstack/react-query";
import { act, render, renderHook, screen, waitFor } from "@testing-library/react";
import { useProblemList } from "@ui";
import type { ReactNode } from "react";
import { expect, test } from "vitest";
import { answer, ok, refusal } from "../test/server";
import { ConnectionBanner } from "./ConnectionBanner";

test("an idle page tells that the database is away, and that it is back", async () => {
	setUp();
	let database = false;
	answer({ "GET /system/health": () => ok({ version: "1.0.0", database, setup_complete: true }) });
	render(
		<QueryClientProvider client={queryClient}>
			<ConnectionBanner />
		</QueryClientProvider>,
	);
	await screen.findByText(/The gateway’s database is not responding/);
	database = true;
	await waitFor(() => expect(screen.queryByText(/is not responding/)).toBeNull(), { timeout: 4_000 });
});

test("an idle page tells within five seconds that nobody answers", async () => {
	setUp();
	let hangs = false;
	answer({
		"GET /system/health": ({ signal }) =>
			hangs
				? new Promise((_, refuse) => signal.addEventListener("abort", () => refuse(signal.reason)))
				: ok({ version: "1.0.0", database: true, setup_complete: true }),
	});
	render(
		<QueryClientProvider client={queryClient}>
			<ConnectionBanner />
		</QueryClientProvider>,
	);
	await waitFor(() => expect(screen.queryByText(/is not responding/)).toBeNull());
	hangs = true;
	await screen.findByText(/gateway is not responding/, undefined, { timeout: 5_000 });
});

const full = {
	...{
		code: "system.disk_full",
		severity: "error",
		link: "/system",
		message: "The disk is full",
		remedy: "",
		params: {},
	},
	...{ since: "2026-01-01T00:00:00Z", subject: { kind: "disk", id: "/", name: "/" }, affects: [], affects_total: 0 },
};

test("when no session is believed any more, problems stay as last known, and the setup administrator can sign in", async () => {
	setUp();
	queryClient.clear();
	queryClient.setQueryData(meQueryKey(), { id: "1", email: "ann@example.com", role: "admin" } as never);
	const list = { version: "1", problems: [full], unknown: [], counts: { error: 1 } };
	queryClient.setQueryData(problemsQueryKey(), list as never);
	let believed = true;
	const away = () => refusal(503, { code: "database_unavailable" });
	answer({
		"GET /system/health": () => ok({ version: "1.0.0", database: false, setup_complete: true }),
		"GET /problems": () => (believed ? ok(list) : away()),
		"GET /auth/me": away,
	});
	act(() => connection.state.set("database"));
	const wrapper = ({ children }: { children: ReactNode }) => (
		<QueryClientProvider client={queryClient}>{children}</QueryClientProvider>
	);
	const { result } = renderHook(() => useProblemList(), { wrapper });
	const banner = render(<ConnectionBanner />, { wrapper });
	expect(result.current).toMatchObject({ count: 1, asOf: undefined });
	expect(screen.queryByRole("button", { name: /setup administrator/ })).toBeNull();
	believed = false;
	await act(() => queryClient.refetchQueries({ queryKey: problemsQueryKey() }));
	const offer = await screen.findByRole("button", { name: /setup administrator/ });
	expect(result.current).toMatchObject({ count: 1, sure: false });
	expect(result.current.problems.map(({ id }) => id.split(" ")[0])).toEqual(["system.disk_full"]);
	expect(result.current.asOf).toBeTruthy();
	act(() => offer.click());
	expect(session.over.get()).toBe(true);
	banner.unmount(); // as when the database is back
	expect(session.over.get()).toBe(false);
	// Nobody answers at all: then nothing is known.
	act(() => connection.state.set("api"));
	expect(result.current).toMatchObject({ count: 0, asOf: undefined });
	act(() => connection.begin());
});
