import { queryOptions, useQuery } from "@tanstack/react-query";
import { queryClient } from "./cache";
import { ApiError } from "./error";
import { logout, me, type UserIdentity } from "./generated";
import { meQueryKey } from "./generated/@tanstack/react-query.gen";
import { Store, useStore } from "./store";

/** identityQuery asks who is signed in; null when nobody is. */
export const identityQuery = queryOptions<UserIdentity | null>({
	queryKey: meQueryKey(),
	queryFn: async ({ signal }) => {
		try {
			return (await me({ signal })).data;
		} catch (error) {
			// Under an open page the account stays known, so that the page can stay as it is.
			if (error instanceof ApiError && error.status === 401) return known() ?? null;
			throw error;
		}
	},
	staleTime: 60_000,
});

const known = () => queryClient.getQueryData<UserIdentity | null>(meQueryKey());

/** session watches for its own end, so that a page can ask to sign in again without losing what was typed. */
export const session = {
	/** True from a 401 until somebody signed in again. */
	over: new Store(false),

	ended(): void {
		// A first visit is no ended session; the router sends it to the sign-in page.
		if (known()) session.over.set(true);
	},

	/** Somebody signed in. Another account than before sees nothing of the old one's data. */
	begin(identity: UserIdentity): void {
		const before = known();
		if (before && before.id !== identity.id) queryClient.clear();
		queryClient.setQueryData(identityQuery.queryKey, identity);
		session.over.set(false);
		void queryClient.invalidateQueries();
	},

	/** Signs out and forgets everything that was loaded. */
	async leave(): Promise<void> {
		await logout();
		queryClient.clear();
		session.over.set(false);
	},
};

/** useIdentity is who is signed in; undefined while not known, null when nobody is. */
export const useIdentity = () => useQuery(identityQuery).data;

/** useSessionOver is true while the session ended under an open page. */
export const useSessionOver = () => useStore(session.over);

/** useCan says whether the signed-in account may do what needs that role. */
export function useCan(role: "admin" | "viewer"): boolean {
	const identity = useIdentity();
	if (!identity) return false;
	return role === "viewer" || (identity.role === "admin" && !identity.limited);
}
