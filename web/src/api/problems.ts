import { useQuery } from "@tanstack/react-query";
import { useCallback, useEffect, useRef } from "react";
import { queryClient } from "./cache";
import { useConnection } from "./connection";
import { useCurrent } from "./current";
import type { ProblemState, ProblemsList, ProblemsObjectStates } from "./generated";
import {
	objectStatesOptions,
	objectStatesQueryKey,
	problemsOptions,
	servicesQueryKey,
} from "./generated/@tanstack/react-query.gen";
import { objectStates, problems } from "./generated/sdk.gen";
import { useLive } from "./live";
import { wordsReady } from "./words";

/** The stream brings news; this is for when it is cut. */
const lookAgain = 15_000;
/** Without its database the server knows less, and nobody tells it what changed: what it still knows is asked for often. */
const lookSoon = 3_000;

/** useLookAgain is how soon something that a stream brings is asked for all the same. */
export const useLookAgain = (usually: number) => (useConnection() === "database" ? lookSoon : usually);

/** saysOf: what the server says of problems is worded by codes, whose words are not part of the first load. */
const saysOf = {
	problems: ({ problems, unknown }: ProblemsList) => problems.length + unknown.length > 0,
	states: ({ states }: ProblemsObjectStates) => Object.values(states).some(({ code }) => code !== ""),
};

/** worded hands an answer on when the words for what it says are there. */
async function worded<T>(asked: Promise<{ data: T }>, says: (answer: T) => boolean): Promise<T> {
	const { data } = await asked;
	if (says(data)) await wordsReady();
	return data;
}

/** useProblems is what is wrong on the node now, as the server found it. */
export const useProblems = () =>
	useQuery({
		...problemsOptions(),
		queryFn: ({ signal }) => worded(problems({ signal }), saysOf.problems),
		refetchInterval: useLookAgain(lookAgain),
	});

/** useProblemsLive hears the stream, once for the whole page. */
export function useProblemsLive(): void {
	const connection = useConnection();
	// What was known with the database may not be known without it.
	useEffect(() => {
		if (connection === "database") askAgain();
	}, [connection]);
	const newest = useRef<ProblemsList>(undefined);
	const heard = useRef<ProblemsList["version"]>(undefined);
	useLive<ProblemsList>("/problems/live", async (list) => {
		newest.current = list;
		if (saysOf.problems(list)) await wordsReady();
		// While its words came, another list may have.
		if (newest.current !== list) return;
		queryClient.setQueryData(problemsOptions().queryKey, list);
		// Whoever shows the state of something asks anew; with what the stream said before, not with what is known: a
		// question may have been answered sooner.
		if (heard.current !== list.version) askAgain();
		heard.current = list.version;
	});
}

const stateful = [objectStatesQueryKey({ path: { id: "" } })[0]._id, servicesQueryKey()[0]._id];

const showsStates = ({ queryKey }: { queryKey: readonly unknown[] }) =>
	stateful.includes((queryKey[0] as { _id?: string } | undefined)?._id ?? "");

/** Queries that are being asked again, by their hash: true for one that is to be asked once more after that. */
const asking = new Map<string, boolean>();

/**
 * askAgain asks for all states anew. One that is under way for that reason is not begun anew: where news come faster than
 * answers, there would never be an answer. It is asked once more when it is there.
 */
export function askAgain(): void {
	void queryClient.invalidateQueries({ predicate: showsStates, refetchType: "none" });
	for (const { queryHash, queryKey } of queryClient.getQueryCache().findAll({ predicate: showsStates, type: "active" }))
		void askOnce(queryHash, queryKey);
}

async function askOnce(hash: string, queryKey: readonly unknown[]): Promise<void> {
	const under = asking.has(hash);
	asking.set(hash, under);
	if (under) return;
	await queryClient.refetchQueries({ queryKey, exact: true });
	const again = asking.get(hash);
	asking.delete(hash);
	if (again) void askOnce(hash, queryKey);
}

/** StateOf is the state of an object; undefined for one that works as it should. */
export type StateOf = (id: string) => ProblemState | undefined;

const unknown: ProblemState = { state: "unknown", code: "", params: {}, message: "" };

/** useKnownStates are those of the objects that are not as they should be; undefined while nobody knows. */
function useKnownStates(kind: string): ProblemsObjectStates["states"] | undefined {
	const path = { id: kind };
	const query = useQuery({
		...objectStatesOptions({ path }),
		queryFn: ({ signal }) => worded(objectStates({ path, signal }), saysOf.states),
		refetchInterval: useLookAgain(lookAgain),
	});
	// The server says itself which states it knows without its database.
	const current = useCurrent(query, !query.isStale);
	return current?.known ? current.states : undefined;
}

/** useStates are the states of all objects of a kind, derived by the server from what runs. */
export function useStates(kind: string): StateOf {
	const states = useKnownStates(kind);
	return useCallback((id) => (states ? states[id] : unknown), [states]);
}

/** StateCount is how many objects are in a state; without one, how many work as they should. */
export interface StateCount {
	state: ProblemState | undefined;
	count: number;
}

/** useStateCounts is how many of all objects of a kind are in which state, those that work first. */
export function useStateCounts(kind: string, total: number): StateCount[] {
	const states = useKnownStates(kind);
	if (!states) return [{ state: unknown, count: total }];
	const counts = new Map<string, number>();
	for (const { state } of Object.values(states)) counts.set(state, (counts.get(state) ?? 0) + 1);
	const others = [...counts].map(([state, count]) => ({ state: { ...unknown, state }, count }));
	// The two answers are of two moments.
	const working = Math.max(0, total - others.reduce((sum, { count }) => sum + count, 0));
	const rest = others.toSorted((a, b) => b.count - a.count);
	return working > 0 ? [{ state: undefined, count: working }, ...rest] : rest;
}
