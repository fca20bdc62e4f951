import {
	ApiError,
	createFirewallNatRule,
	createFirewallRule,
	defineResource,
	deleteFirewallNatRule,
	deleteFirewallRule,
	type FirewallNatRule,
	type FirewallNatRuleInput,
	type FirewallRule,
	getFirewallNatRule,
	getFirewallRule,
	type ListQuery,
	listFirewallNatRules,
	updateFirewallNatRule,
	updateFirewallRule,
} from "@api";
import { filtering } from "./filtering";
import type { Typed } from "./known";
import { listPair } from "./pair";
import type { Filling } from "./ruleRequest";
import { saveRule } from "./ruleSave";
import { typedOf } from "./ruleTexts";

/** Rule is one as it is stored; when it is looked at alone, with what it refers to as it would be typed. */
export type Rule = FirewallRule & Partial<Typed>;
export type RuleInput = Filling;

/** A new rule is asked last: the others were there before it. */
const lastPlace = 1_000_000;

/** annotated has a note and labels even when they were emptied: what is not sent would stay. */
const annotated = <T extends { note?: string; labels?: string[] }>(body: T) => ({ note: "", labels: [], ...body });

const worded = async (rule: FirewallRule): Promise<Rule> => ({ ...rule, ...(await typedOf(rule)) });

/** theirs has what somebody else stored meanwhile worded like what is typed here. */
async function theirs(error: unknown): Promise<never> {
	if (!(error instanceof ApiError) || error.status !== 412) throw error;
	const current = await worded(error.current as FirewallRule);
	throw error.with({ current });
}

/** rules of the packet filter. Their places are changed by the order of all, not one by one. */
export const rules = defineResource<Rule, RuleInput>({
	...filtering,
	path: "/firewall/rules",
	name: (rule) => rule.name,
	list: ({ query, signal }) => listPair(query as ListQuery & { src?: string; dst?: string }, signal),
	get: async (options) => {
		const { data, response } = await getFirewallRule(options);
		return { data: await worded(data), response };
	},
	create: ({ body, headers }) => {
		const placed = { ...body, priority: lastPlace };
		return saveRule({
			body: placed,
			headers,
			alone: (rule) => createFirewallRule({ body: rule, headers }),
			operation: (rule) => ({ method: "POST", path: "/firewall/rules", body: rule }),
		});
	},
	update: async ({ path, body, headers }) => {
		const { data } = await getFirewallRule({ path });
		return saveRule({
			body: { ...annotated(body), priority: data.priority },
			headers,
			alone: (rule) => updateFirewallRule({ path, body: rule, headers }),
			operation: (rule) => ({ method: "PUT", path: `/firewall/rules/${path.id}`, body: rule }),
			before: data,
		}).catch(theirs);
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
