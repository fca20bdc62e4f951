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
			if (isRefusal(error)) return known() ?? null;
			throw error;
		}
	},
	staleTime: 60_000,
});

const isRefusal = (error: unknown) => error instanceof ApiError && error.status === 401;

/** True while the server is asked whether the session is over. */
let asking = false;

/** nothingSent is when no change waits for its answer. */
function nothingSent(): Promise<void> {
	const none = () => queryClient.isMutating({ predicate: ({ state }) => !state.isPaused }) === 0;
	return new Promise((resolve) => {
		if (none()) return resolve();
		const stop = queryClient.getMutationCache().subscribe(() => {
			if (!none()) return;
			stop();
			resolve();
		});
	});
}

const known = () => queryClient.getQueryData<UserIdentity | null>(meQueryKey());

/** session watches for its own end, so that a page can ask to sign in again without losing what was typed. */
export const session = {
	/** True from the end of the session until somebody signed in again. */
	over: new Store(false),

	/**
	 * Some request was refused with a 401. It may have been under way while the session got another cookie, as when a
	 * second factor is turned on: only a new question tells, after the answer that has the cookie.
	 */
	async refused(): Promise<void> {
		// A first visit is no ended session; the router sends it to the sign-in page.
		if (!known() || session.over.get() || asking) return;
		asking = true;
		try {
			await nothingSent();
			await me();
			void queryClient.invalidateQueries({ predicate: ({ state }) => isRefusal(state.error) });
		} catch (error) {
			if (isRefusal(error) && known()) session.over.set(true);
		} finally {
			asking = false;
		}
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
