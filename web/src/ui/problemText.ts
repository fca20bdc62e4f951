import { askForWords, type FaultWords, type Problem as Found, type ProblemState } from "@api";
import i18next from "i18next";
import { ended } from "./errorText";
import { formatExact } from "./format";
import { partText, type Said, serverText } from "./serverText";
import { serviceName } from "./service";

type Told = Pick<Found, "code" | "params" | "message"> & Partial<Pick<Found, "subject" | "remedy">>;

const moment = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

/** shown is a time in the reader's form; a name may look like one, and be none. */
function shown(value: unknown): unknown {
	if (typeof value !== "string" || !moment.test(value)) return value;
	const at = new Date(value);
	return Number.isNaN(at.getTime()) ? value : formatExact(at);
}

/** wordsFor are those of a parameter that is a message itself: they stand beside it. */
const wordsFor = (params: Told["params"], name: string) => params[`${name}_words`] as FaultWords | undefined;

/** worded puts the parameters of a problem into the reader's language. */
function worded({ params, subject }: Told): Record<string, unknown> {
	const out: Record<string, unknown> = {};
	for (const [name, value] of Object.entries(params)) {
		const words = wordsFor(params, name);
		out[name] = words && typeof value === "string" ? partText({ message: value, ...words }) : shown(value);
	}
	if (subject?.kind === "service") out.service = serviceName(subject.id, subject.name);
	if (typeof params.component === "string") out.component = serviceName(params.component);
	if (typeof params.reason === "string")
		out.reason = reasonOf(params.check, { message: params.reason, ...wordsFor(params, "reason") });
	return out;
}

/** reasonOf: the result of a health check has words of its own, all else is the server's sentence. */
const reasonOf = (check: unknown, reason: Said) =>
	i18next.t(`check.${check}`, { ns: "proxy", defaultValue: serverText(reason) });

/** inWords is what a catalog says of a code; the server's own English for one that it does not know. */
function inWords(told: Told, what: "message" | "remedy"): string {
	const [ns, ...code] = told.code.split(".");
	const params = worded(told);
	const key = `problems.${code.join(".")}.${what}`;
	if (!i18next.exists(key, { ns })) void askForWords();
	const text = i18next.t(key, { ns, ...params, defaultValue: told[what] ?? "" });
	// A name at the beginning keeps its letters, a message does not.
	const begins = Object.keys(params).some(
		(name) => wordsFor(told.params, name) && text.startsWith(String(params[name])),
	);
	return begins ? text.slice(0, 1).toUpperCase() + text.slice(1) : text;
}

/** problemKey tells problems apart: one kind may be found of several objects, and several times of one. */
export const problemKey = ({
	code,
	subject: { kind, id },
	message,
}: Pick<Found, "code" | "subject" | "message">): string => `${code} ${kind} ${id} ${message}`;

/** problemTitle says what is wrong. */
export const problemTitle = (told: Told): string => inWords(told, "message");

/** problemRemedy says what to do about it. */
export const problemRemedy = (told: Told): string => inWords(told, "remedy");

/** stateReason says why an object is in its state; "" where that is the operator's own choice. */
export const stateReason = (state: ProblemState): string => (state.code ? ended(problemTitle(state)) : "");
