import { queryOptions, useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { connection } from "./connection";
import { healthOptions } from "./generated/@tanstack/react-query.gen";
import { Store, useStore } from "./store";

/** healthQuery asks for the public health: version, set up or not, database. */
export const healthQuery = queryOptions({ ...healthOptions(), staleTime: 10_000 });

/** useHealth is the public health as it was seen last. */
export const useHealth = () => useQuery(healthQuery);

/** With the time after which a question is given up, an idle page knows within five seconds that nobody answers. */
const lookAgain = 2_000;

/** useHealthWatch looks again and again, once for the whole page, and at once when the tab comes back. */
export function useHealthWatch() {
	const health = useQuery({ ...healthQuery, refetchInterval: lookAgain });
	const { data, dataUpdatedAt } = health;
	// The API answers this without its database, so nothing fails by which an idle page could notice. Each
	// answer counts, also one that says the same as the one before.
	useEffect(() => {
		if (dataUpdatedAt > 0 && data?.database === false) connection.failed("database_unavailable");
	}, [data, dataUpdatedAt]);
	return health;
}

const outdated = new Store(false);
let loadedWith: string | undefined;

/** sawVersion remembers the first version seen; another one later means that this page is outdated. */
export function sawVersion(version: string): void {
	loadedWith ??= version;
	if (version !== loadedWith) outdated.set(true);
}

/** isOutdated says that the server runs another version than this page came from. */
export const isOutdated = outdated.get;

/** useOutdated is the same for components. */
export const useOutdated = () => useStore(outdated);
