import type { FirewallQuestion, PacketfilterStep } from "@api";
import type { Translate } from "@ui/feature";

/** readPacket is what an address asks to be explained; undefined when it only opens the form. */
export function readPacket(text: string): Partial<FirewallQuestion> | undefined {
	try {
		const packet: unknown = JSON.parse(text);
		return typeof packet === "object" && packet !== null ? (packet as Partial<FirewallQuestion>) : undefined;
	} catch {
		return undefined;
	}
}

/** stages of a packet's way that has any steps, in their order. */
export function stagesOf(steps: PacketfilterStep[]): { stage: string; steps: PacketfilterStep[] }[] {
	const stages: { stage: string; steps: PacketfilterStep[] }[] = [];
	for (const step of steps) {
		const last = stages.at(-1);
		if (last?.stage === step.stage) last.steps.push(step);
		else stages.push({ stage: step.stage, steps: [step] });
	}
	return stages;
}

/** The server's sentences, and how messages call them; what stands in parentheses are a, b and c. */
const sentences: [RegExp, string][] = [
	[/^(?:NAT )?rule "(.*)" is about another (source|destination|service)$/, "passed"],
	[/^(?:NAT )?rule "(.*)" is left out: (.*)$/, "leftOut"],
	[/^rule "(.*)": (accept|drop|reject)$/, "rule"],
	[/^NAT rule "(.*)" sends it to (.*) instead of (.*)$/, "dnat"],
	[/^NAT rule "(.*)" gives it the source (.*)$/, "snat"],
	[/^no rule is about it, and NAT rule "(.*)" sends it here: (accept)$/, "translated"],
	[/^open for (.*): (accept)$/, "opening"],
	[/^management is always reachable: (accept)$/, "lockout"],
	[/^it comes from another node of the cluster: (accept)$/, "peer"],
	[/^it comes in on the tunnel (.*): (accept)$/, "tunnel"],
	[/^the tunnel gives it the address of (.*) as source$/, "tunnelSource"],
	[/^the gateway talks to itself: (accept)$/, "loopback"],
	[/^IPv6 itself needs it: (accept)$/, "neighbour"],
	[/^it answers something that was not asked: (drop)$/, "invalid"],
	[/^no rule is about it: (drop)$/, "default"],
	[/^there is no route to (.*)$/, "noRoute"],
	[/^(.*) is an address of one link, so nothing from it is forwarded to another$/, "linkLocal"],
	[/^(.*) is the gateway itself$/, "local"],
	[/^(.*) is reached through (.*)$/, "route"],
	[/^(\d+) more between these zones are not about it$/, "more"],
];

/** stepText words a step in the reader's language; a sentence that nobody knows stays as it came. */
export function stepText(text: string, t: Translate): string {
	for (const [pattern, key] of sentences) {
		const found = pattern.exec(text);
		if (!found) continue;
		const [, a, b, c] = found;
		// What a rule is about has words of its own.
		return t(`step.${key}`, { a, b: key === "passed" ? t(`step.about.${b}`) : b, c });
	}
	return text;
}
