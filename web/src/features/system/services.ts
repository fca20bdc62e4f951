import type { SystemRestart, SystemService, SystemToggle } from "@api";
import { stateOf } from "@ui";

type Restartable = SystemRestart["service"];
type Switchable = SystemToggle["service"];

/** What the API lets be restarted and switched. */
export const restartable: Restartable[] = ["reverse-proxy", "forward-proxy", "dns", "ntp", "scheduler"];
const switchable: Switchable[] = ["ids", "ids-bouncer", "waf"];

export const canRestart = (name: string): name is Restartable => restartable.some((one) => one === name);
export const canSwitch = (name: string): name is Switchable => switchable.some((one) => one === name);

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
