import type { TFunction } from "i18next";
import type { FieldErrors, FieldValues, Resolver } from "react-hook-form";
import { set } from "react-hook-form";
import * as z from "zod/mini";
import { bodyOf, type FormSchema, type Input, isAsked } from "./fields";
import { type Unit, unitText } from "./units";

// Under our Content-Security-Policy zod must not try to compile its parsers.
z.config({ jitless: true });

type Issue = z.core.$ZodIssue;

/** issueText words what zod found, in the words of the input's unit; ns "ui", below "invalid". */
export function issueText(issue: Issue, t: TFunction, unit?: Unit): string {
	const limit = (value: number | bigint) => (unit ? unitText(unit, Number(value)) : Number(value));
	switch (issue.code) {
		case "too_small":
			return issue.origin === "string"
				? t("invalid.short", { count: Number(issue.minimum) })
				: t("invalid.small", { limit: limit(issue.minimum) });
		case "too_big":
			return issue.origin === "string"
				? t("invalid.long", { count: Number(issue.maximum) })
				: t("invalid.big", { limit: limit(issue.maximum) });
		case "invalid_value":
			return t("invalid.choice");
		case "invalid_type":
			return issue.expected === "int" || issue.expected === "number" ? t("invalid.number") : t("invalid.needed");
		default:
			return t("invalid.format");
	}
}

/** schemaResolver checks a form with the generated schema, and that nothing needed is empty. */
export function schemaResolver(schema: FormSchema, inputs: Input[], t: TFunction): Resolver<FieldValues> {
	const asked = new Set(inputs.map((input) => input.name));
	return (values) => {
		const body = bodyOf(inputs, values);
		const errors: FieldErrors = {};
		const parsed = schema.safeParse(body);
		for (const issue of parsed.error?.issues ?? []) {
			// A form may ask for a part; who sends it fills in the rest.
			if (!asked.has(String(issue.path[0]))) continue;
			const unit = inputs.find((input) => input.name === issue.path[0])?.unit;
			set(errors, issue.path.join("."), { type: issue.code, message: issueText(issue, t, unit) });
		}
		for (const input of inputs) {
			const value = body[input.name];
			if (input.required && isAsked(input, values) && (value === "" || value === undefined)) {
				errors[input.name] = {
					type: "needed",
					message: t(input.kind === "select" ? "invalid.choice" : "invalid.needed"),
				};
			}
		}
		return Object.keys(errors).length > 0 ? { values: {}, errors } : { values: body, errors: {} };
	};
}
