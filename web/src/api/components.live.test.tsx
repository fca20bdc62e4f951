import { QueryClientProvider } from "@tanstack/react-query";
import { render, waitFor } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { queryClient } from "./cache";
import { useComponentsLive } from "./components";
import type { ApplyState } from "./generated";
import { componentsOptions } from "./generated/@tanstack/react-query.gen";

function Page() {
	useComponentsLive();
	return null;
}

test("what is stored is asked for again when a question was sooner than the stream", async () => {
	vi.stubGlobal(
		"WebSocket",
		class {
			close() {}
		},
	);
	const key = componentsOptions().queryKey;
	const state = { component: "dns", installed: "a", stage: "live" } as ApplyState;
	queryClient.setQueryData(key, [{ ...state, confirm: { change: "c", seconds_left: 1 } }]);
	const asked = vi.spyOn(queryClient, "invalidateQueries");
	render(
		<QueryClientProvider client={queryClient}>
			<Page />
		</QueryClientProvider>,
	);
	expect(asked).not.toHaveBeenCalled();
	// As the answer to a question does, which no handler of the stream sees.
	queryClient.setQueryData(key, [state]);
	const keys = () => asked.mock.calls.map(([filters]) => filters?.queryKey);
	await waitFor(() => expect(keys()).toEqual([[{ tags: ["change"] }], [{ tags: ["dns"] }]]));
});
