import { Store, useConnection, useStore } from "@api";
import type { Feature, Problem } from "@ui/feature";
import { useEffect } from "react";
import { useTranslation } from "react-i18next";

const store = new Store<Record<string, Problem[]>>({});
const rank = { danger: 0, warning: 1, info: 2 };

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

/** useProblemList is everything wrong now, the worst first; a lost connection is one of them. */
export function useProblemList(): Problem[] {
	const { t } = useTranslation();
	const connection = useConnection();
	const found = Object.entries(useStore(store)).flatMap(([id, list]) =>
		list.map((one) => ({ ...one, id: `${id}.${one.id}` })),
	);
	if (connection !== "online")
		found.push({ id: "connection", severity: "danger", title: t(`connection.${connection}`) });
	return found.sort((a, b) => rank[a.severity] - rank[b.severity]);
}
