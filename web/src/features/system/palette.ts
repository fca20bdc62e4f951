import { queryClient, servicesOptions } from "@api";
import type { PaletteContext, PaletteEntry } from "@ui/feature";
import { serviceName } from "@ui/service";
import { toast } from "@ui/toast";
import { flagQuery, storeFlag } from "./flags";

const tabs = ["components", "packages", "interfaces", "settings"];

/** palette goes to the tabs of the page; administrators also restart services and switch the maintenance mode. */
export async function palette({ admin, t }: PaletteContext): Promise<PaletteEntry[]> {
	const pages = tabs.map((tab) => ({ id: tab, title: t(`tab.${tab}`), hint: t("title"), to: `/system?tab=${tab}` }));
	if (!admin) return pages;
	const hint = t("palette.action");
	const reload = { id: "reload", title: t("reload.title"), hint, to: "/system?tab=components&do=reload" };
	return [...pages, ...(await restarts(t, hint)), reload, ...(await maintenance(t, hint))];
}

async function restarts(t: PaletteContext["t"], hint: string): Promise<PaletteEntry[]> {
	const known = await queryClient.fetchQuery({ ...servicesOptions(), staleTime: 60_000 }).catch(() => undefined);
	const restartable = known?.services.filter((service) => service.restart && service.installed) ?? [];
	return restartable.map(({ name, description }) => ({
		id: `restart ${name}`,
		title: t("restart.title", { name: serviceName(name, description) }),
		hint,
		to: `/system?do=restart&id=${name}`,
	}));
}

async function maintenance(t: PaletteContext["t"], hint: string): Promise<PaletteEntry[]> {
	const known = await queryClient.fetchQuery(flagQuery("maintenance")).catch(() => undefined);
	if (!known) return [];
	const on = !known.enabled;
	const set = (enabled: boolean, undo?: () => void) =>
		storeFlag("maintenance", enabled).then(
			() => toast.success(t(`flag.maintenance.${enabled ? "turnedOn" : "turnedOff"}`), { undo }),
			() => toast.danger(t("failed")),
		);
	const run = () => void set(on, () => void set(!on));
	return [{ id: "maintenance", title: t(on ? "palette.maintenanceOn" : "palette.maintenanceOff"), hint, run }];
}
