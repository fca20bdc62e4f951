import { useQuery } from "@tanstack/react-query";
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
		const before = queryClient.getQueryData<ApplyState[]>(componentsOptions().queryKey);
		queryClient.setQueryData(componentsOptions().queryKey, states);
		if (before && milestones(before) !== milestones(states)) void invalidate("change");
	});
}

/** milestones are what a list of changes shows of the components. */
const milestones = (states: ApplyState[]) =>
	states.map((one) => [one.component, one.installed, one.error, one.confirm?.change ?? ""].join(" ")).join("\n");
