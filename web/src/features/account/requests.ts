import {
	ApiError,
	type ChangePasswordRequest,
	type CodeInputBody,
	type CreateTokenRequest,
	changePassword,
	createToken,
	disableTotp,
	enableTotp,
	invalidate,
	listSessionsOptions,
	listTokensOptions,
	type OwnPasswordBody,
	revokeSession,
	revokeToken,
	setupTotp,
	wrongAt,
} from "@api";
import { useMutation, useQuery } from "@tanstack/react-query";

const refresh = () => invalidate("user");

/** useChangePassword; wrong words a current password that is not right. */
export const useChangePassword = (wrong: string) =>
	useMutation({
		mutationFn: (body: ChangePasswordRequest) => wrongAt("current_password", wrong, changePassword({ body })),
		onSuccess: refresh,
	});

/** useSetupTotp asks for a new secret; nothing changes before useEnableTotp. wrong words a password that is not right. */
export const useSetupTotp = (wrong: string) =>
	useMutation({
		mutationFn: async (body: OwnPasswordBody) => (await wrongAt("password", wrong, setupTotp({ body }))).data,
	});

/** useEnableTotp proves that the app has the secret, and answers the recovery codes; wrong words a code that is not right. */
export const useEnableTotp = (wrong: string) =>
	useMutation({
		mutationFn: async (body: CodeInputBody) => (await wrongAt("code", wrong, enableTotp({ body }))).data,
		onSuccess: refresh,
	});

/** useDisableTotp; wrong words a password that is not right. */
export const useDisableTotp = (wrong: string) =>
	useMutation({
		mutationFn: (body: OwnPasswordBody) => wrongAt("password", wrong, disableTotp({ body })),
		onSuccess: refresh,
	});

/** useSessions are the browsers that are signed in; looked at again now and then. */
export const useSessions = () => useQuery({ ...listSessionsOptions(), refetchInterval: 60_000 });

/** useEndSessions ends some; one that ended by itself meanwhile is no failure. */
export const useEndSessions = () =>
	useMutation({
		mutationFn: (ids: string[]) => Promise.all(ids.map(endSession)),
		onSettled: refresh,
	});

async function endSession(id: string): Promise<void> {
	try {
		await revokeSession({ path: { id } });
	} catch (error) {
		if (!(error instanceof ApiError && error.status === 404)) throw error;
	}
}

export const useTokens = () => useQuery(listTokensOptions());

/** useCreateToken answers the token itself, this once. */
export const useCreateToken = () =>
	useMutation({
		mutationFn: async (body: CreateTokenRequest) => (await createToken({ body })).data,
		onSuccess: refresh,
	});

export const useRevokeToken = () =>
	useMutation({
		mutationFn: (id: string) => revokeToken({ path: { id } }),
		onSuccess: refresh,
	});
