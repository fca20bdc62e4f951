import { QueryClient } from "@tanstack/react-query";
import type { ApiError } from "./error";

declare module "@tanstack/react-query" {
	interface Register {
		defaultError: ApiError;
	}
}

/** queryClient holds all server data. When the connection is lost it waits: coming back refetches. */
export const queryClient = new QueryClient({
	defaultOptions: {
		queries: {
			networkMode: "always",
			staleTime: 10_000,
			retry: (count, error) => error.status >= 500 && !error.away && count < 1,
		},
		mutations: { networkMode: "always", retry: false },
	},
});

/** invalidate refetches everything that carries one of the tags of the OpenAPI document ("user", "system"). */
export async function invalidate(...tags: string[]): Promise<void> {
	await Promise.all(tags.map((tag) => queryClient.invalidateQueries({ queryKey: [{ tags: [tag] }] })));
}
