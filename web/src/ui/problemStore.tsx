import {
	type ProblemsList,
	type ProblemsUnknown,
	type Problem as Served,
	Store,
	useConnection,
	useProblems,
	useStore,
} from "@api";
import i18next from "i18next";
import { useEffect } from "react";
import { sentence } from "./errorText";
import type { Feature, Problem } from "./feature";
import { problemKey, problemRemedy, problemTitle } from "./problemText";
import { serverText } from "./serverText";
import { useTranslation } from "./translation";

const store = new Store<Record<string, Problem[]>>({});
const rank = { danger: 0, warning: 1, info: 2 };
const looks: Record<Served["severity"], Problem["severity"]> = {
	critical: "danger",
	error: "danger",
	warning: "warning",
	info: "info",
};

/** ProblemSource runs one feature's hook; it shows nothing itself. */
export function ProblemSource({ id, useProblems }: { id: string; useProblems: NonNullable<Feature["useProblems"]> }) {
	const { t } = useTranslation(id);
	const problems = useProblems(t);
	const fingerprint = JSON.stringify(problems);
	useEffect(() => {
		store.set({ ...store.get(), [id]: JSON.parse(fingerprint) as Problem[] });
		return () => store.set({ ...store.get(), [id]: [] });
	}, [id, fingerprint]);
	return null;
}

/** Known is what is wrong, the worst first; "count" is of all, "sure" says that nothing else is. */
export interface Known {
	problems: Problem[];
	count: number;
	sure: boolean;
	/** The server did not answer yet: what else there is will be known in a moment. */
	pending: boolean;
	/** When the server said so, where it does not answer that any more: it may be otherwise by now. */
	asOf?: string;
	/** What nobody can look at because of a problem that is listed: it may have others. */
	unseen: string;
}

/** useProblemList is what the server found, what this browser alone can know, and whether that is all. */
export function useProblemList(): Known {
	const { t } = useTranslation("ui");
	const connection = useConnection();
	const { data: last, isError, isPending: pending, dataUpdatedAt } = useProblems();
	// A session is believed for a minute without the database. What was wrong until then, a full disk maybe, is why.
	const old = isError && connection === "database" && last !== undefined;
	const data = isError && !old ? undefined : last;
	const own = Object.entries(useStore(store)).flatMap(([id, list]) =>
		list.map((one) => ({ ...one, id: `${id} ${one.id}` })),
	);
	const found = data ? served(data) : [];
	const named = (components: string[]) => components.map((name) => i18next.t(`${name}:title`)).join(", ");
	const open = unexplained(data);
	const unknown: Problem[] = reasonsIn(open).map(([message, names]) => ({
		id: `unknown ${message}`,
		severity: "warning",
		title: t("problem.unknown", { names: named(names) }),
		detail: sentence(message),
	}));
	const problems = [...own, ...found, ...unknown].sort((a, b) => rank[a.severity] - rank[b.severity]);
	const total = data ? Object.values(data.counts).reduce((sum, n) => sum + n, 0) : 0;
	return {
		problems,
		count: own.length + unknown.length + total,
		pending,
		sure: data !== undefined && !isError && connection === "online",
		asOf: old ? new Date(dataUpdatedAt).toISOString() : undefined,
		unseen: named((data?.unknown ?? []).filter((one) => !open.includes(one)).map(({ component }) => component)),
	};
}

/** Reasons why something is not known that are a problem themselves: one cause is counted once. */
const causes: Record<string, string> = {
	"the database does not answer": "system.database_down",
	"the applier is not running (gateway-apply)": "system.applier_down",
};

/** unexplained is what is not known for another reason than a problem that is listed. */
export function unexplained(list: Pick<ProblemsList, "problems" | "unknown"> | undefined): ProblemsUnknown[] {
	const codes = new Set(list?.problems.map(({ code }) => code));
	return (list?.unknown ?? []).filter(({ text }) => !codes.has(causes[text ?? ""] ?? ""));
}

/** reasonsIn says each reason once, with the components it is about: one cause is one line. */
function reasonsIn(unknown: ProblemsUnknown[]): [string, string[]][] {
	const reasons = new Map<string, string[]>();
	for (const { component, ...said } of unknown) {
		const message = serverText(said);
		reasons.set(message, [...(reasons.get(message) ?? []), component]);
	}
	return [...reasons];
}

const served = (list: ProblemsList): Problem[] =>
	list.problems.map((one) => ({
		id: problemKey(one),
		severity: looks[one.severity],
		title: problemTitle(one),
		detail: problemRemedy(one),
		since: one.since,
		affects: one.affects_total,
		to: one.link,
	}));
