import { ApiError, batch, type ChangeOperation, type FirewallRule, type FirewallRuleInput } from "@api";
import i18next from "i18next";
import { lookUp, type Typed } from "./known";
import { Unknown } from "./resolve";
import { type Filling, Misread, requestOf } from "./ruleRequest";

type Headers = Record<string, string> | undefined;

interface Save {
	body: Filling;
	headers: Headers;
	/** How the rule is sent alone, and as a part of a batch. */
	alone: (body: FirewallRuleInput) => Promise<{ data: FirewallRule; response: Response }>;
	operation: (body: FirewallRuleInput) => ChangeOperation;
}

/** saveRule stores a rule, and what it refers to that is not there yet, as one change. */
export async function saveRule({ body, headers, alone, operation }: Save) {
	if (body.source === undefined && body.destination === undefined && body.service === undefined)
		return alone(unsure(body));
	const typed = { source: body.source ?? "", destination: body.destination ?? "", service: body.service ?? "" };
	const known = await lookUp(typed);
	const request = readable(() => requestOf({ ...body, ...typed }, known, () => crypto.randomUUID()));
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
		const own = field.replace(/^operations\[\d+\]\.body\./, "");
		return fields.find(([of]) => of.test(own))?.[1] ?? own;
	};
	const moved = error.fields.map((one) => ({ ...one, field: place(one.field) }));
	throw new ApiError(error.status, error.code, error.message, moved, error.current, error.retryAfter);
}
