import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { invalidate, queryClient } from "./cache";
import type { ApplyState } from "./generated";
import { componentsOptions } from "./generated/@tanstack/react-query.gen";
import { useLive } from "./live";

/** The stream brings news; this is for when it is cut. */
const lookAgain = 30_000;

/** useComponents is how every managed component stands, as it changes. */
export const useComponents = () => useQuery({ ...componentsOptions(), refetchInterval: lookAgain });

/** useComponent is one of them. */
export const useComponent = (name: string): ApplyState | undefined =>
	useComponents().data?.find((state) => state.component === name);

/** useComponentsLive hears the stream, once for the whole page. */
export function useComponentsLive(): void {
	useLive<ApplyState[]>("/system/components/live", (states) => {
		// The applier is away. What there is to know of stays; that nobody knows how it stands, its states say. Asking says why.
		if (states.length === 0) return void queryClient.invalidateQueries({ queryKey: componentsOptions().queryKey });
		queryClient.setQueryData(componentsOptions().queryKey, states);
	});
	useFollowing(useComponents().data);
}

/**
 * useFollowing asks again for what is stored of the components that moved: somebody else changed it, or it was undone.
 * It looks at the answers of both, the stream and a question: whichever is first, the other brings nothing new.
 */
function useFollowing(states: ApplyState[] | undefined): void {
	const seen = useRef(states);
	useEffect(() => {
		const moved = seen.current && states ? movedOf(seen.current, states) : [];
		seen.current = states ?? seen.current;
		// Tags have the components' names.
		if (moved.length > 0) void invalidate("change", ...moved);
	}, [states]);
}

/** milestone is what others show of a component. */
const milestone = (one: ApplyState | undefined) =>
	[one?.installed, one?.error, one?.confirm?.change].map((part) => part ?? "").join("\n");

/** movedOf are the components that others show differently now. */
export const movedOf = (before: ApplyState[], now: ApplyState[]) =>
	now
		.filter((one) => milestone(one) !== milestone(before.find((other) => other.component === one.component)))
		.map((one) => one.component);
