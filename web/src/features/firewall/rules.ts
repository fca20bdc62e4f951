import {
	createFirewallNatRule,
	createFirewallRule,
	defineResource,
	deleteFirewallNatRule,
	deleteFirewallRule,
	type FirewallNatRule,
	type FirewallNatRuleInput,
	type FirewallRule,
	type FirewallRuleInput,
	getFirewallNatRule,
	getFirewallRule,
	type ListQuery,
	listFirewallNatRules,
	updateFirewallNatRule,
	updateFirewallRule,
} from "@api";
import { filtering } from "./filtering";
import { listPair } from "./pair";
import { type Served, served, serving } from "./service";

export type Rule = Served<FirewallRule>;
export type RuleInput = Served<FirewallRuleInput>;

/** A new rule is asked last: the others were there before it. */
const lastPlace = 1_000_000;

/** annotated has a note and labels even when they were emptied: what is not sent would stay. */
const annotated = <T extends { note?: string; labels?: string[] }>(body: T) => ({ note: "", labels: [], ...body });

/** rules of the packet filter. Their places are changed by the order of all, not one by one. */
export const rules = defineResource<Rule, RuleInput>({
	...filtering,
	path: "/firewall/rules",
	name: (rule) => rule.name,
	list: async ({ query, signal }) =>
		served(await listPair(query as ListQuery & { src?: string; dst?: string }, signal)),
	get: async (options) => served(await getFirewallRule(options)),
	create: async ({ body, headers }) =>
		served(await createFirewallRule({ body: { ...serving(body), priority: lastPlace }, headers })),
	update: async ({ path, body, headers }) => {
		const { data } = await getFirewallRule({ path });
		const whole = { ...annotated(serving(body)), priority: data.priority };
		return served(await updateFirewallRule({ path, body: whole, headers }));
	},
	remove: deleteFirewallRule,
});

/** natRules translate addresses; they have an order of their own. */
export const natRules = defineResource<FirewallNatRule, FirewallNatRuleInput>({
	...filtering,
	path: "/nat-rules",
	name: (rule) => rule.name,
	list: listFirewallNatRules,
	get: getFirewallNatRule,
	create: ({ body, headers }) => createFirewallNatRule({ body: { ...body, priority: lastPlace }, headers }),
	update: async ({ path, body, headers }) => {
		const { data } = await getFirewallNatRule({ path });
		return updateFirewallNatRule({ path, body: { ...annotated(body), priority: data.priority }, headers });
	},
	remove: deleteFirewallNatRule,
});
