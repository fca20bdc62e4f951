import { queryClient, setUp } from "@api";
import { QueryClientProvider } from "@tanstack/react-query";
import { render, screen, within } from "@testing-library/react";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { answer, ok } from "../../test/server";
import KeptTable from "./KeptTable";

const none = { rows: null, bytes: null, oldest_at: null, max_days: null, max_rows: null, max_bytes: null };

beforeAll(() => setUp());
beforeEach(() => queryClient.clear());

test("what is kept is told with its bound, and what is not known as not known", async () => {
	answer({
		"GET /system/kept": () =>
			ok([
				{ ...none, name: "changes", rows: 1200, bytes: 2048, max_days: 365, max_rows: 100_000 },
				{ ...none, name: "logs" },
			]),
	});
	render(
		<QueryClientProvider client={queryClient}>
			<KeptTable />
		</QueryClientProvider>,
	);
	const changes = await screen.findByRole("row", { name: /Changes of the configuration/ });
	expect(within(changes).getByText("1,200 entries · 2 KiB")).toBeTruthy();
	expect(within(changes).getByText(/^(1 year|365 days) · 100,000 entries$/)).toBeTruthy();
	const logs = screen.getByRole("row", { name: /Logs of the services/ });
	expect(within(logs).getAllByText("–")).toHaveLength(3);
});
