import { ApiError, batch, type ChangeOperation, type FirewallRule, type FirewallRuleInput } from "@api";
import i18next from "i18next";
import { lookUp, type Typed } from "./known";
import { Unknown } from "./resolve";
import { isEverywhere } from "./risk";
import { type Filling, Misread, requestOf } from "./ruleRequest";
import { typedOf } from "./ruleTexts";

type Headers = Record<string, string> | undefined;

interface Save {
	body: Filling;
	headers: Headers;
	/** How the rule is sent alone, and as a part of a batch. */
	alone: (body: FirewallRuleInput) => Promise<{ data: FirewallRule; response: Response }>;
	operation: (body: FirewallRuleInput) => ChangeOperation;
	/** The rule as it is stored. */
	before?: FirewallRule;
}

/** saveRule stores a rule, and what it refers to that is not there yet, as one change. */
export async function saveRule({ body, headers, alone, operation, before }: Save) {
	if (body.source === undefined && body.destination === undefined && body.service === undefined)
		return alone(unsure(body));
	const typed = { source: body.source ?? "", destination: body.destination ?? "", service: body.service ?? "" };
	await askTwice(body, typed);
	const kept = before ? keptOf(before, await typedOf(before), typed) : {};
	const changed = Object.fromEntries(
		Object.entries(typed).map(([field, text]) => [field, field in kept ? "" : text]),
	) as unknown as Typed;
	const known = await lookUp(changed);
	const request = readable(() => requestOf({ ...body, ...changed }, known, () => crypto.randomUUID()));
	Object.assign(request.body, ...Object.values(kept));
	if (request.operations.length === 0) return alone(request.body).catch(renamed);
	const { "If-Match": match, ...rest } = headers ?? {};
	const last = { ...operation(request.body), ...(match && { if_match: match }) };
	const { data, response } = await batch({
		body: { operations: [...request.operations, last] },
		headers: rest,
	}).catch(renamed);
	// A dry run answers what would change.
	const rule = "results" in data ? (data.results ?? []).at(-1) : data;
	return { data: rule as FirewallRule, response };
}

/** askTwice refuses what accepts everything and is not said twice. Who was faster than the form finds its question there then. */
async function askTwice({ action, src_zone, dst_zone, sure }: Filling, typed: Typed): Promise<void> {
	if (sure || action !== "accept" || src_zone !== "any" || dst_zone !== "any") return;
	await lookUp(typed); // learns what the names stand for
	if (!isEverywhere(typed.source) || !isEverywhere(typed.destination)) return;
	const message = i18next.t("rule.help.sure", { ns: "firewall" });
	throw new ApiError(422, "invalid", message, [{ field: "sure", message }]);
}

const refs: Record<keyof Typed, (keyof FirewallRule & keyof FirewallRuleInput)[]> = {
	source: ["src_kind", "src_object_id", "src_group_id", "src_cidr"],
	destination: ["dst_kind", "dst_object_id", "dst_group_id", "dst_cidr"],
	service: ["service_object_id", "service_group_id"],
};

/** keptOf is what a rule goes on to refer to where nobody typed: two things may have one name. */
export function keptOf(before: FirewallRule, was: Typed, typed: Typed): Partial<Record<keyof Typed, object>> {
	const same = (Object.keys(refs) as (keyof Typed)[]).filter(
		(field) => was[field] !== "" && was[field] === typed[field],
	);
	const filled = (names: (typeof refs)[keyof Typed]) =>
		Object.fromEntries(names.map((name) => [name, before[name]]).filter(([, value]) => value !== null && value !== ""));
	return Object.fromEntries(same.map((field) => [field, filled(refs[field])]));
}

/** unsure is a rule without the answer to the form's second question. */
const unsure = ({ sure: _, ...body }: Filling) => body as FirewallRuleInput;

/** unknownText says why an entry cannot be read. */
export const unknownText = ({ text, why }: Unknown) => i18next.t(`rule.entry.${why}`, { ns: "firewall", text });

function readable<T>(read: () => T): T {
	try {
		return read();
	} catch (error) {
		if (!(error instanceof Misread) || !(error.cause instanceof Unknown)) throw error;
		const message = unknownText(error.cause);
		throw new ApiError(422, "invalid", message, [{ field: error.field, message }]);
	}
}

const fields: [RegExp, keyof Typed][] = [
	[/^src_(kind|object_id|group_id|cidr)$/, "source"],
	[/^dst_(kind|object_id|group_id|cidr)$/, "destination"],
	[/^service_(object|group)_id$/, "service"],
];

/** renamed has the server's complaints at the fields of the form. */
function renamed(error: unknown): never {
	if (!(error instanceof ApiError)) throw error;
	const place = (field: string) => {
		const own = field.replace(/^operations\[\d+\](\.body\.)?/, "");
		return fields.find(([of]) => of.test(own))?.[1] ?? own;
	};
	const moved = error.fields.map((one) => ({ ...one, field: place(one.field) }));
	throw error.with({ fields: moved });
}
