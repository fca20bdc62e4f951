import type * as z from "zod/mini";
import type { Unit } from "./units";

/** FormSchema is a generated schema of a request's body. */
export type FormSchema = z.ZodMiniObject;

export type FieldKind =
	| "text"
	| "email"
	| "password"
	| "number"
	| "switch"
	| "select"
	| "choice"
	| "choices"
	| "search"
	| "tokens"
	| "textarea"
	| "list"
	| "moment";

/** Choice is an entry of a select. */
export interface Choice {
	value: string;
	label: string;
	/** A few grey words beside it. */
	hint?: string;
}

/** ChoiceSource finds choices on the server, where there are too many for a list. */
export interface ChoiceSource {
	/** Names it in the cache; tag is the one of the OpenAPI document whose changes make it old. */
	key: string;
	tag: string;
	/** The first few that fit what was typed. */
	find: (text: string, signal: AbortSignal) => Promise<Choice[]>;
	/** What people call the one that is chosen. */
	name: (value: string, signal: AbortSignal) => Promise<string>;
}

/** Field is one input of a form. Everything but the name follows from the generated schema, and can be said otherwise. */
export interface Field {
	name: string;
	kind?: FieldKind;
	/** Needed although the schema calls it optional. */
	required?: boolean;
	/** Asked only then. */
	only?: "create" | "edit";
	/** Shows how strong a new password is. */
	strength?: boolean;
	autoComplete?: string;
	/** Width of a short value such as a port. */
	narrow?: boolean;
	/** Text of digits only, such as a code: phones show their number pad. */
	digits?: boolean;
	/** Has the focus when the form opens. */
	focus?: boolean;
	/** With kind "choice" and "choices": a hook that answers what there is to choose from; "text" suggests it. */
	useChoices?: () => Choice[];
	/** With kind "search" and "tokens": who knows what there is to choose from. */
	source?: ChoiceSource;
	/** A list of entries that may have spaces: one per line. */
	lines?: boolean;
	/** Field whose value picks the help and the placeholder: "help.<name>.<value>", "placeholder.<name>.<value>". */
	hintBy?: string;
	/** With hintBy: values to choose from, as they are, while that other field holds this: { method: ["GET", "HEAD"] }. */
	optionsBy?: Record<string, string[]>;
	/** What it is called, where the messages cannot know: "field.<name>" otherwise. */
	label?: string;
	/** Asked only while these other fields hold one of these values, or one that fits: { source: ["upload"] }. */
	when?: Record<string, string[] | ((value: unknown) => boolean)>;
	/** Part of the form that it stands in: its heading is "section.<name>"; "advanced" is last, and folded. */
	section?: string;
	/** Value of a new row, and what an advanced one is compared with; the schema's own otherwise. */
	initial?: unknown;
	/** What a number counts: shown beside it, in the unit that fits. "zero.<name>" is what 0 means. */
	unit?: Unit;
	/** Values to choose with one press. */
	presets?: number[];
	/** As wide as the form, where that has two columns. */
	wide?: boolean;
}

/** Input is a field with all that its schema says. */
export interface Input extends Field {
	kind: FieldKind;
	required: boolean;
	options: string[];
	min?: number;
	max?: number;
	initial: unknown;
	wide: boolean;
	/** What is sent where nothing is entered; undefined where the schema lets it be left out. */
	empty: unknown;
}

/** Def is the part of a zod schema's definition that we read; zod documents it for authors of libraries. */
interface Def {
	type: string;
	innerType?: z.core.$ZodType;
	defaultValue?: unknown;
	entries?: Record<string, string>;
	checks?: { _zod: { def: { check: string; value?: number; maximum?: number } } }[];
}

const defOf = (schema: z.core.$ZodType) => schema._zod.def as Def;

interface Bare {
	def: Def;
	optional: boolean;
	initial: unknown;
}

/** bare takes optional, nullable and default off a schema. */
function bare(schema: z.core.$ZodType): Bare {
	const def = defOf(schema);
	if (!def.innerType) return { def, optional: false, initial: undefined };
	const inner = bare(def.innerType);
	return { def: inner.def, optional: true, initial: def.defaultValue ?? inner.initial };
}

function emptyOf({ type }: Def): unknown {
	if (type === "nullable") return null;
	return type === "string" ? "" : undefined;
}

function limit(def: Def, check: string): number | undefined {
	const found = def.checks?.map((one) => one._zod.def).find((one) => one.check === check);
	return found?.value ?? found?.maximum;
}

function kindOf(def: Def, name: string): FieldKind {
	if (def.type === "boolean") return "switch";
	if (def.type === "number") return "number";
	if (def.type === "enum") return "select";
	if (def.type === "array") return "list";
	if (/password|secret/.test(name)) return "password";
	if (/(^|_)e?mail$/.test(name)) return "email";
	return "text";
}

const blanks: Partial<Record<FieldKind, unknown>> = { switch: false, list: [], choices: [] };

/** describe reads one field out of the schema of the whole form. */
export function describe(schema: FormSchema, field: Field): Input {
	const type = schema._zod.def.shape[field.name];
	if (!type) throw new Error(`the schema has no field "${field.name}"`);
	const { def, optional, initial } = bare(type);
	const kind = field.kind ?? kindOf(def, field.name);
	const first = field.initial ?? initial ?? blanks[kind] ?? "";
	return {
		...field,
		kind,
		// Nothing is a choice only where a form may begin with it.
		options: Object.values(def.entries ?? {}).filter((option) => option !== "" || first === ""),
		min: limit(def, "greater_than"),
		max: limit(def, "less_than") ?? limit(def, "max_length"),
		required: field.required ?? (!optional && kind !== "switch"),
		wide: field.wide ?? kind === "textarea",
		initial: first,
		empty: emptyOf(defOf(type)),
	};
}

/** initialOf are the values a form starts with: the row's, else the schema's defaults. */
export function initialOf(inputs: Input[], row?: object): Record<string, unknown> {
	const from = (row ?? {}) as Record<string, unknown>;
	return Object.fromEntries(inputs.map((input) => [input.name, from[input.name] ?? input.initial]));
}

/** isAsked says whether a field is on the form, by what others hold. */
export const isAsked = ({ when = {} }: Field, values: Record<string, unknown>) =>
	Object.entries(when).every(([name, fitting]) =>
		typeof fitting === "function" ? fitting(values[name]) : fitting.includes(String(values[name])),
	);

/** bodyOf is what is sent: an optional field left empty is left out unless the schema wants it, and so is one that is not asked. */
export function bodyOf(inputs: Input[], values: Record<string, unknown>): Record<string, unknown> {
	const sent = inputs
		.filter((input) => isAsked(input, values))
		.map((input) => {
			const value = values[input.name];
			return [input.name, input.required || !isBlank(value) ? value : input.empty];
		});
	return Object.fromEntries(sent.filter(([, value]) => value !== undefined));
}

/** isBlank says whether an input holds nothing. */
export const isBlank = (value: unknown) => value === "" || value === undefined || value === null || Number.isNaN(value);
