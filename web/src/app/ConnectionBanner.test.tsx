import { queryClient, setUp } from "@api";
import { QueryClientProvider } from "@tanstack/react-query";
import { render, screen, waitFor } from "@testing-library/react";
import { expect, test } from "vitest";
import { answer, ok } from "../test/server";
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
