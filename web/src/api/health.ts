import { queryOptions, useQuery } from "@tanstack/react-query";
import { healthOptions } from "./generated/@tanstack/react-query.gen";
import { Store, useStore } from "./store";

/** healthQuery asks for the public health: version, set up or not, database. */
export const healthQuery = queryOptions({ ...healthOptions(), staleTime: 10_000 });

/** useHealth looks again every half minute, and at once when the tab comes back. */
export const useHealth = () => useQuery({ ...healthQuery, refetchInterval: 30_000 });

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
