import { alertAcknowledge, alertTest, invalidate, listAlertEventsOptions, listAlertKindsOptions } from "@api";
import { useMutation, useQuery } from "@tanstack/react-query";
import type { Choice } from "@ui";

/** Period is from when to when, in the API's form; what is missing is no limit. */
export interface Period {
	since?: string;
	until?: string;
}

/** useEvents are the latest ones, or those of a time. */
export const useEvents = (period: Period) =>
	useQuery({ ...listAlertEventsOptions({ query: period }), refetchInterval: 3_000 });

/** What follows from either is seen in the list of events and in the audit log. */
const told = () => invalidate("alert", "audit");

export const useTest = () => useMutation({ mutationFn: async () => (await alertTest()).data, onSettled: told });

export const useAcknowledge = () =>
	useMutation({ mutationFn: (id: string) => alertAcknowledge({ path: { id } }), onSettled: told });

/** useKindChoices lets a form choose among the kinds that have a name; of problems there are as many as pages. */
export const useKindChoices = (): Choice[] =>
	(useQuery(listAlertKindsOptions()).data ?? [])
		.filter(({ kind }) => kind !== "test" && !kind.startsWith("problem."))
		.map(({ kind }) => ({ value: kind, label: kind }));
