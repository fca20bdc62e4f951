import type { SystemService } from "@api";
import type { Status } from "@ui";

/** States that have words of their own in messages, "state.*". */
const looks: Record<string, Status> = {
	failed: "danger",
	"no-table": "neutral",
	unknown: "warning",
	activating: "info",
	deactivating: "info",
	reloading: "info",
	active: "success",
	"kernel-loaded": "success",
	inactive: "neutral",
	absent: "neutral",
};

/** stateOf is the state of a service for people: systemd's, or "absent" for one that is not installed. */
export function stateOf(service: SystemService): string {
	if (service.installed === false) return "absent";
	return service.active_state in looks ? service.active_state : "unknown";
}

/** lookOf is the colour of a state. */
export const lookOf = (state: string): Status => looks[state] ?? "warning";

const rank: Status[] = ["danger", "warning", "info", "success", "neutral"];

/** sorted puts what needs attention first; services that are equally well keep the server's order. */
export function sorted(services: SystemService[]): SystemService[] {
	const weight = (service: SystemService) => rank.indexOf(lookOf(stateOf(service)));
	return services.toSorted((a, b) => weight(a) - weight(b));
}

/** counts is how many services run, and how many could. */
export function counts(services: SystemService[]): { running: number; installed: number } {
	const installed = services.filter((service) => stateOf(service) !== "absent");
	return {
		running: installed.filter((service) => lookOf(stateOf(service)) === "success").length,
		installed: installed.length,
	};
}
