import type { Problem, SystemService } from "@api";
import { lookOf, type Status, stateOf } from "@ui";

const rank: Status[] = ["danger", "warning", "info", "success", "neutral"];

/** sorted puts what needs attention first; services that are equally well keep the server's order. */
export function sorted(services: SystemService[]): SystemService[] {
	const weight = (service: SystemService) => rank.indexOf(lookOf(service));
	return services.toSorted((a, b) => weight(a) - weight(b));
}

/** broken are the services that run, as far as anybody can see from outside, and do not do their job. */
const broken = (problems: Problem[]) =>
	new Set(
		problems
			.filter(
				({ subject, severity }) => subject.kind === "service" && (severity === "error" || severity === "critical"),
			)
			.map(({ subject }) => subject.id),
	);

/** counts is how many services run, and how many are to: what is switched off is missed by nobody. */
export function counts(services: SystemService[], problems: Problem[]): { running: number; wanted: number } {
	const wanted = services.filter((service) => !["absent", "off"].includes(stateOf(service)));
	const bad = broken(problems);
	return {
		running: wanted.filter((service) => lookOf(service) === "success" && !bad.has(service.name)).length,
		wanted: wanted.length,
	};
}
