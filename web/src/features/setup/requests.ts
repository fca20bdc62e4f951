import {
	ApiError,
	type CredentialsBodyWritable,
	completeNodeSetup,
	completeSetup,
	healthQuery,
	login,
	queryClient,
	session,
} from "@api";
import { useMutation } from "@tanstack/react-query";
import { nodeOf, requestOf, type Values } from "./form";

/** setUpNow lets the pages behind the wizard open without asking the server once more. */
const setUpNow = () =>
	queryClient.setQueryData(healthQuery.queryKey, (known) => known && { ...known, setup_complete: true });

/** useCompleteSetup sets the node up. An answer that got lost on its way is no failure: the node is set up then. */
export const useCompleteSetup = () =>
	useMutation({
		mutationFn: async (values: Values) => {
			try {
				if (values.accountless) await completeNodeSetup({ body: nodeOf(values) });
				else await completeSetup({ body: requestOf(values) });
			} catch (error) {
				if (!(error instanceof ApiError && error.code === "setup_complete")) throw error;
			}
		},
		onSuccess: setUpNow,
	});

/** useFirstSignIn signs the new administrator in; it answers whether that worked without a further question. */
export const useFirstSignIn = () =>
	useMutation({
		mutationFn: async (body: CredentialsBodyWritable) => {
			const { identity } = (await login({ body })).data;
			if (identity) session.begin(identity);
			return Boolean(identity);
		},
	});
