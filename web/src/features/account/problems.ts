import { useIdentity } from "@api";
import type { Problem, Translate } from "@ui/feature";

/** useProblems reminds an administrator who signs in with a password alone. */
export function useProblems(t: Translate): Problem[] {
	const me = useIdentity();
	if (me?.role !== "admin" || me.totp_enabled || me.limited) return [];
	return [
		{
			id: "second-factor",
			severity: "info",
			title: t("problem.title"),
			detail: t("problem.detail"),
			to: "/account?tab=second-factor",
		},
	];
}
