import type { ApiError } from "@api";
import { place } from "@ui/serverErrors";

export const steps = ["code", "name", "certificates", "admin", "review"] as const;
export type Step = (typeof steps)[number];

/** FieldName of an input, as the server names it; repeat is ours alone. */
export type FieldName =
	| "code"
	| "fqdn"
	| "acme.email"
	| "acme.directory_url"
	| "acme.terms_agreed"
	| "email"
	| "password"
	| "repeat";

/** fieldsOf are the inputs that stand on a step. */
export const fieldsOf: Record<Step, FieldName[]> = {
	code: ["code"],
	name: ["fqdn"],
	certificates: ["acme.email", "acme.directory_url", "acme.terms_agreed"],
	admin: ["email", "password", "repeat"],
	review: [],
};

const allFields = steps.flatMap((step) => fieldsOf[step]);

/** firstStepWith is the first step that has one of these inputs. */
export const firstStepWith = (names: string[]): Step | undefined =>
	steps.find((step) => fieldsOf[step].some((name) => names.includes(name)));

/** Routed is where what the server complained about is shown. */
export interface Routed {
	/** Step to jump to; undefined stays on the review. */
	step: Step | undefined;
	atField: { name: FieldName; message: string }[];
	/** Messages that belong to no input. */
	above: string[];
}

/** routeError sends the messages of a refused setup to their steps. wrongCode words a code that is not the node's. */
export function routeError(error: ApiError, wrongCode: string): Routed {
	if (error.code === "wrong_setup_code") {
		return { step: "code", atField: [{ name: "code", message: wrongCode }], above: [] };
	}
	const { atField, above } = place(error, allFields);
	return {
		step: firstStepWith(atField.map((one) => one.name)),
		atField: atField as Routed["atField"],
		above: error.fields.length > 0 ? above : [],
	};
}
