import { queryClient } from "@api";
import { QueryClientProvider } from "@tanstack/react-query";
import { createMemoryHistory, RouterProvider } from "@tanstack/react-router";
import { render } from "@testing-library/react";
import type { Feature } from "@ui/feature";
import { createAppRouter } from "../app/router";

/** renderApp shows the whole app with these features at an address. */
export function renderApp(features: Feature[], at: string) {
	const history = createMemoryHistory({ initialEntries: [at] });
	const router = createAppRouter(features, history);
	render(
		<QueryClientProvider client={queryClient}>
			<RouterProvider router={router} />
		</QueryClientProvider>,
	);
	return { history, router };
}
