import { useQuery } from "@tanstack/react-query";
import { useRef } from "react";
import { invalidate, queryClient } from "./cache";
import type { ApplyState } from "./generated";
import { componentsOptions } from "./generated/@tanstack/react-query.gen";
import { useLive } from "./live";
import { useLookAgain } from "./problems";

/** The stream brings news; this is for when it is cut. */
const lookAgain = 30_000;

/** useComponents is how every managed component stands, as it changes. */
export const useComponents = () => useQuery({ ...componentsOptions(), refetchInterval: useLookAgain(lookAgain) });

/** useComponent is one of them. */
export const useComponent = (name: string): ApplyState | undefined =>
	useComponents().data?.find((state) => state.component === name);

/** useComponentsLive hears the stream, once for the whole page. */
export function useComponentsLive(): void {
	const heard = useRef<ApplyState[]>(undefined);
	useLive<ApplyState[]>("/system/components/live", (states) => {
		// The applier is away. What there is to know of stays; that nobody knows how it stands, its states say. Asking says why.
		if (states.length === 0) return void queryClient.invalidateQueries({ queryKey: componentsOptions().queryKey });
		// With what the stream said before, not with what is known: a question may have been answered sooner.
		const before = heard.current ?? queryClient.getQueryData<ApplyState[]>(componentsOptions().queryKey);
		heard.current = states;
		queryClient.setQueryData(componentsOptions().queryKey, states);
		const moved = before ? movedOf(before, states) : [];
		// What is stored may have changed too: somebody else changed it, or it was undone. Tags have the components' names.
		if (moved.length > 0) void invalidate("change", ...moved);
	});
}

/** milestone is what others show of a component. */
const milestone = (one: ApplyState | undefined) =>
	[one?.installed, one?.error, one?.confirm?.change].map((part) => part ?? "").join("\n");

/**
 * ended says that an apply is over; one may begin and end between two messages. Rows that no file shows may have changed
 * too, such as a certificate that is yet to come.
 */
const ended = (before: ApplyState | undefined, now: ApplyState) =>
	now.stage === "live" && (before?.stage !== "live" || before.since !== now.since);

/** movedOf are the components that others show differently now. */
export const movedOf = (before: ApplyState[], now: ApplyState[]) =>
	now
		.filter((one) => {
			const was = before.find((other) => other.component === one.component);
			return milestone(one) !== milestone(was) || ended(was, one);
		})
		.map((one) => one.component);
