import type { ProbePath, ProbeSteps } from "@api";
import { formatExact, formatNumber, serverText, type Translate } from "@ui";

export type StepId = "dns" | "route" | "filter" | "tcp" | "tls";

/** PathStep is one step, and what all steps have. */
export interface PathStep {
	id: StepId;
	step: { state: string; duration_ms: number; problem?: string; error?: string };
}

const order: StepId[] = ["dns", "route", "filter", "tcp", "tls"];

/** stepsOf are the steps of a path in their order; without TLS there is no step for it. */
export function stepsOf({ steps }: ProbePath): PathStep[] {
	return order.flatMap((id) => {
		const step = steps[id];
		return step ? [{ id, step }] : [];
	});
}

type Fact = [name: string, value: string | undefined];

/** factsOf is what a step found out, in words; what it did not is undefined. */
export function factsOf(id: StepId, steps: ProbeSteps, t: Translate): Fact[] {
	const fact = (name: string, value: string | undefined): Fact => [t(`path.fact.${name}`), value || undefined];
	switch (id) {
		case "dns":
			return [fact("addresses", steps.dns.addresses?.join(", "))];
		case "route":
			return [
				fact("interface", steps.route.interface),
				fact("uplink", steps.route.uplink),
				fact("gateway", steps.route.gateway),
				fact("source", steps.route.source),
				fact("mtu", steps.route.mtu ? t("path.bytes", { n: formatNumber(steps.route.mtu) }) : undefined),
				fact("local", steps.route.local ? t("path.local") : undefined),
			];
		case "filter":
			return [
				fact(
					"decided",
					steps.filter.decided ? serverText(steps.filter.decided) : steps.filter.own ? t("path.own") : undefined,
				),
				fact("out", steps.filter.out),
				fact("uplinkGroup", steps.filter.uplink_group),
			];
		case "tcp":
			return [fact("remote", steps.tcp.remote), fact("own", steps.tcp.local)];
		case "tls":
			return [
				fact("version", steps.tls?.version),
				fact("names", steps.tls?.names?.join(", ")),
				fact("issuer", steps.tls?.issuer),
				fact("notAfter", steps.tls?.not_after ? formatExact(new Date(steps.tls.not_after)) : undefined),
				fact("trusted", steps.tls?.names ? t(steps.tls.trusted ? "path.yes" : "path.no") : undefined),
			];
	}
}
