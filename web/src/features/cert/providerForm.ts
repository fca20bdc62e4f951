import { type DnsproviderKind, listCertDnsProviderKinds } from "@api";
import type { Choice, Field, FormSchema, FormSpec } from "@ui";
import i18next from "i18next";
import * as z from "zod/mini";
import { fieldOf } from "./provider";

/** labelOf is what a setting is called: our words, else the server's. */
function labelOf(name: string, title: string): string {
	const key = `provider.setting.${name}`;
	return i18next.exists(key, { ns: "cert" }) ? i18next.t(key, { ns: "cert" }) : title;
}

const fieldsOf = ({ kind, settings }: DnsproviderKind): Field[] =>
	settings.map(({ name, title, required, secret }) => ({
		name: fieldOf(kind, name),
		label: labelOf(name, title),
		kind: secret ? "password" : "text",
		required,
		autoComplete: "off",
		when: { kind: [kind] },
	}));

/** formOf asks for what each kind of provider wants to know. */
export function formOf(kinds: DnsproviderKind[]): FormSpec {
	const fields = kinds.flatMap(fieldsOf);
	const shape = Object.fromEntries(fields.map((field) => [field.name, z.optional(z.string())]));
	const choices: Choice[] = kinds.map(({ kind, title }) => ({ value: kind, label: title }));
	return {
		schema: z.object({ name: z.string(), kind: z.string(), ...shape }) as FormSchema,
		useInitial: () => ({ kind: kinds[0]?.kind }),
		fields: [{ name: "name", focus: true }, { name: "kind", kind: "choice", useChoices: () => choices }, ...fields],
	};
}

/** loadForm asks the node which kinds there are. */
export const loadForm = async () => ({ form: formOf((await listCertDnsProviderKinds()).data) });
