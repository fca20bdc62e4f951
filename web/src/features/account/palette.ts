import type { PaletteContext, PaletteEntry } from "@ui/feature";

/** palette leads to what people do with their own account. */
export function palette({ t }: PaletteContext): PaletteEntry[] {
	const hint = t("title");
	return [
		{ id: "password", title: t("password.title"), hint, to: "/account" },
		{ id: "second-factor", title: t("factor.title"), hint, to: "/account?tab=second-factor" },
		{ id: "sessions", title: t("sessions.title"), hint, to: "/account?tab=sessions" },
		{ id: "tokens", title: t("tokens.title"), hint, to: "/account?tab=tokens" },
		{ id: "create-token", title: t("tokens.create"), hint, to: "/account?tab=tokens&do=create" },
	];
}
