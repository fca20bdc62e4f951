import type { SystemService } from "@api";
import { stateOf } from "@ui";

/** isOn says whether a service runs or is about to. */
export const isOn = (service: SystemService) => ["active", "activating", "reloading"].includes(service.active_state);

/** bootOf words systemd's many answers to "does it start with the machine?". */
export function bootOf(service: SystemService): "yes" | "no" | "needed" | undefined {
	if (service.installed !== true || service.boot === "") return undefined;
	if (service.boot.startsWith("enabled")) return "yes";
	return ["static", "indirect", "generated", "alias"].includes(service.boot) ? "needed" : "no";
}

/** sorted puts failed services first and those not installed last; the others keep the server's order. */
export function sorted(services: SystemService[]): SystemService[] {
	const weight = (service: SystemService) => ({ failed: -1, absent: 1 })[stateOf(service)] ?? 0;
	return services.toSorted((a, b) => weight(a) - weight(b));
}
