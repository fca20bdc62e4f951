import type { PaletteContext, PaletteEntry } from "@ui/feature";

/** palette goes to the tabs of the page, and lets administrators make a backup. */
export function palette({ admin, t }: PaletteContext): PaletteEntry[] {
	const tab = (id: string) => ({ id, title: t(`tab.${id}`), hint: t("title"), to: `/backups?tab=${id}` });
	const pages = [tab("targets"), tab("settings")];
	if (!admin) return pages;
	const run = () => void import("./now").then(({ backUp }) => backUp(t));
	return [{ id: "now", title: t("now.button"), hint: t("palette.action"), run }, ...pages];
}
