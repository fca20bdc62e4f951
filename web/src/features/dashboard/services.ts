import type { SystemService } from "@api";
import { lookOf, type Status, stateOf } from "@ui";

const rank: Status[] = ["danger", "warning", "info", "success", "neutral"];

/** sorted puts what needs attention first; services that are equally well keep the server's order. */
export function sorted(services: SystemService[]): SystemService[] {
	const weight = (service: SystemService) => rank.indexOf(lookOf(service));
	return services.toSorted((a, b) => weight(a) - weight(b));
}

/** counts is how many services run, and how many could. */
export function counts(services: SystemService[]): { running: number; installed: number } {
	const installed = services.filter((service) => stateOf(service) !== "absent");
	return {
		running: installed.filter((service) => lookOf(service) === "success").length,
		installed: installed.length,
	};
}
