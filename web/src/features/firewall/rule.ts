import type { FirewallRule } from "@api";
import type { UrlState } from "@ui/urlState";
import type { Rule, RuleInput } from "./rules";
import { type Ids, noIds } from "./useNames";

type Side = "src" | "dst";

/** inputOf is a rule as an update takes it. */
export function inputOf(rule: Rule): RuleInput {
	const { id: _, revision: __, created_at: ___, updated_at: ____, priority: _____, ...rest } = rule;
	const filled = Object.entries(rest).filter(([, value]) => value !== null && value !== "");
	return Object.fromEntries(filled) as unknown as RuleInput;
}

/** stored is a rule as a batch takes it: at the place that it has. */
export const stored = (rule: Rule): object => ({ ...inputOf(rule), priority: rule.priority });

/** Start is what a new rule begins with. */
export type Start = Partial<RuleInput>;

/** linkTo is the address of the form of a new rule that begins with something. Closing the form takes it out again. */
export const linkTo = (start: Start): Record<string, string> => ({ do: "create", id: JSON.stringify(start) });

/** startOf reads it; a rule that begins with nothing begins between the zones that the list shows, if it shows some. */
export function startOf({ do: what, id, src, dst }: UrlState): Start {
	const zones: Start = { ...(src && { src_zone: src }), ...(dst && { dst_zone: dst }) };
	// Zones and action are the operator's to choose: a rule that nobody meant is the worst one.
	const unsaid = { src_zone: "", dst_zone: "", action: "", source: "", destination: "", service: "" };
	return { ...unsaid, enabled: true, ...zones, ...(what === "create" ? read(id) : {}) };
}

function read(text: string | undefined): Start {
	try {
		const start: unknown = JSON.parse(text ?? "{}");
		if (typeof start !== "object" || start === null) return {};
		// A link must not answer the second question.
		const { sure: _, ...rest } = start as Start;
		return rest;
	} catch {
		// Somebody cut the address short: the form is empty then.
		return {};
	}
}

/** addressOf is what one side of a rule is told by: the id of a name, or the network itself. */
export function addressOf(rule: FirewallRule, side: Side): { id?: string; text?: string } {
	const kind = rule[`${side}_kind`];
	if (kind === "object") return { id: rule[`${side}_object_id`] ?? undefined };
	if (kind === "group") return { id: rule[`${side}_group_id`] ?? undefined };
	return kind === "cidr" ? { text: rule[`${side}_cidr`] } : {};
}

const present = (ids: (string | null | undefined)[]) => ids.filter((id): id is string => Boolean(id));

/** idsOf are what rules refer to. */
export const idsOf = (rules: FirewallRule[], others: (string | undefined)[] = []): Ids => ({
	...noIds,
	address: present(rules.flatMap((rule) => [rule.src_object_id, rule.dst_object_id])),
	group: present(rules.flatMap((rule) => [rule.src_group_id, rule.dst_group_id])),
	service: present(rules.map((rule) => rule.service_object_id)),
	serviceGroup: present(rules.map((rule) => rule.service_group_id)),
	uplinkGroup: present(rules.map((rule) => rule.uplink_group_id)),
	rule: present(others),
});

/** State of a rule: whether it decides anything now. */
export type RuleState = "on" | "off" | "expired";

export function stateOf({ enabled, expires_at }: Pick<FirewallRule, "enabled" | "expires_at">, now: number): RuleState {
	if (expires_at && Date.parse(expires_at) <= now) return "expired";
	return enabled ? "on" : "off";
}

/** hitShare is how long the bar of a rule is. Some rules see a million times what others do, so it grows by powers. */
export const hitShare = (packets: number, most: number) =>
	packets <= 0 || most <= 0 ? 0 : Math.log1p(packets) / Math.log1p(Math.max(packets, most));
