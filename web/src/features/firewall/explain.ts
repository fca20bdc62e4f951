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
	[/^(?:NAT )?rule "(.*)" does not match the (source|destination|service)$/, "passed"],
	[/^(?:NAT )?rule "(.*)" is skipped: (.*)$/, "leftOut"],
	[/^rule "(.*)": (accept|drop|reject)$/, "rule"],
	[/^NAT rule "(.*)" translates the destination (.*) to (.*)$/, "dnat"],
	[/^NAT rule "(.*)" translates the source to (.*)$/, "snat"],
	[/^no matching rule; NAT rule "(.*)" forwards it here: (accept)$/, "translated"],
	[/^open for (.*): (accept)$/, "opening"],
	[/^anti-lockout, management is always reachable: (accept)$/, "lockout"],
	[/^from another cluster node: (accept)$/, "peer"],
	[/^received on tunnel (.*): (accept)$/, "tunnel"],
	[/^the tunnel translates the source to the address of (.*)$/, "tunnelSource"],
	[/^loopback traffic: (accept)$/, "loopback"],
	[/^required by IPv6 \(neighbour discovery\): (accept)$/, "neighbour"],
	[/^invalid connection state: (drop)$/, "invalid"],
	[/^no matching rule \(default\): (drop)$/, "default"],
	[/^rule "(.*)" sends it to the uplink group "(.*)"$/, "uplinks"],
	[/^no route to (.*)$/, "noRoute"],
	[/^(.*) is a link-local address and is not forwarded$/, "linkLocal"],
	[/^(.*) is the gateway itself$/, "local"],
	[/^(.*) is reached through (.*)$/, "route"],
	[/^(\d+) more rules between these zones do not match$/, "more"],
];

/** stepText words a step in the reader's language; a sentence that nobody knows stays as it came. */
export function stepText(text: string, t: Translate): string {
	for (const [pattern, key] of sentences) {
		const found = pattern.exec(text);
		if (!found) continue;
		const [, a, b, c] = found;
		// The part of a packet that a rule does not match has words of its own.
		return t(`step.${key}`, { a, b: key === "passed" ? t(`step.about.${b}`) : b, c });
	}
	return text;
}
