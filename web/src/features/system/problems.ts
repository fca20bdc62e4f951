import type { SysPackageVersion, SysResources, SystemService } from "@api";
import type { Problem, Translate } from "@ui/feature";
import { isMissing, serviceName } from "@ui/service";

/** Known is what the rules look at; what is not known yet, or could not be asked, is no problem. */
export interface Known {
	services?: SystemService[];
	maintenance?: boolean;
	database?: boolean;
	resources?: Pick<SysResources, "disk" | "memory">;
	packages?: SysPackageVersion[];
}

const fullDisk = 0.9;
const fullMemory = 0.95;

/** problemsOf says what is wrong with the node. percent words a share. */
export function problemsOf(known: Known, t: Translate, percent: (share: number) => string): Problem[] {
	const found: Problem[] = [];
	for (const service of known.services ?? []) {
		const isOff = service.boot === "disabled" && !service.required;
		const failed = service.active_state === "failed" && service.installed !== false && !isOff;
		if (!failed && !isMissing(service)) continue;
		const name = serviceName(service.name, service.description);
		const kind = failed ? "failed" : "stopped";
		found.push({
			id: `${kind} ${service.name}`,
			severity: "danger",
			title: t(`problem.${kind}`, { name }),
			to: "/system",
		});
	}
	if (known.database === false) {
		found.push({ id: "database", severity: "danger", title: t("problem.database"), to: "/system" });
	}
	found.push(...full("disk", known.resources?.disk, fullDisk, t, percent));
	found.push(...full("memory", known.resources?.memory, fullMemory, t, percent));
	if (known.maintenance) {
		const to = "/system?tab=settings";
		found.push({ id: "maintenance", severity: "warning", title: t("problem.maintenance"), to });
	}
	const upgradable = (known.packages ?? []).filter((one) => one.upgradable);
	if (upgradable.length > 0) {
		const detail = upgradable.map((one) => `${one.name} ${one.available}`).join(", ");
		const title = t("problem.updates", { count: upgradable.length });
		found.push({ id: "updates", severity: "info", title, detail, to: "/system?tab=packages" });
	}
	return found;
}

function full(
	id: "disk" | "memory",
	use: { used: number; total: number } | undefined,
	limit: number,
	t: Translate,
	percent: (share: number) => string,
): Problem[] {
	const share = use && use.total > 0 ? use.used / use.total : 0;
	if (share <= limit) return [];
	return [{ id, severity: "warning", title: t(`problem.${id}`, { share: percent(share) }), to: "/" }];
}
