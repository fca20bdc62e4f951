import type { CompleteSetupRequestWritable, SetupNodeWritable } from "@api";
import { zCompleteSetupRequestWritable, zSetupAcme, zSetupNodeWritable } from "@api/schemas";
import { describe, type Field, type FormSchema, type Input } from "@ui/fields";
import { issueText } from "@ui/resolver";
import type { TFunction } from "i18next";
import { type FieldErrors, type Resolver, set } from "react-hook-form";
import { isWholeCode } from "./code";
import type { FieldName } from "./steps";

/** Values is everything the wizard asks for; it lives in memory only, because it has a password. */
export interface Values {
	code: string;
	fqdn: string;
	/** Certificates are set up later: nothing of acme is sent. */
	later: boolean;
	acme: { email: string; directory_url: string; terms_agreed: boolean };
	/** No administrator is created: nothing of the account is sent. */
	accountless: boolean;
	email: string;
	password: string;
	repeat: string;
}

const hostname = /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;
const mail = /^[^\s@]+@[^\s@]+$/;
const address = /^(\d+\.){3}\d+$|:/;

/** isFullName says that a text is a host name of two labels at least, and not an address. */
export const isFullName = (text: string) => hostname.test(text.toLowerCase()) && !address.test(text);

/** startValues begins with the name under which the visitor came here, when it is one. */
export const startValues = (names: (string | undefined)[]): Values => ({
	code: "",
	fqdn: names.find((name) => name !== undefined && isFullName(name)) ?? "",
	later: false,
	acme: { email: "", directory_url: "", terms_agreed: false },
	accountless: false,
	email: "",
	password: "",
	repeat: "",
});

/** nodeOf is what is sent of every node. */
export function nodeOf({ code, fqdn, later, acme }: Values): SetupNodeWritable {
	const body = { code, fqdn: fqdn.trim().replace(/\.$/, "") };
	if (later) return body;
	const directory = acme.directory_url.trim();
	const asked = { email: acme.email.trim(), terms_agreed: acme.terms_agreed };
	return { ...body, acme: directory ? { ...asked, directory_url: directory } : asked };
}

/** requestOf is what is sent of one with an administrator. */
export const requestOf = (values: Values): CompleteSetupRequestWritable => ({
	...nodeOf(values),
	email: values.email.trim(),
	password: values.password,
});

/** ruleBroken names the first rule of ours that a field breaks, as a key below "invalid". */
export function rulesBroken(values: Values): Partial<Record<FieldName, string>> {
	const body = requestOf(values);
	const acme = body.acme;
	const broken: Partial<Record<FieldName, string>> = {};
	if (!isWholeCode(values.code)) broken.code = "code";
	if (!isFullName(body.fqdn)) broken.fqdn = "fqdn";
	if (acme && !mail.test(acme.email ?? "")) broken["acme.email"] = "email";
	if (acme?.directory_url && !/^https:\/\/[^/@\s]+/.test(acme.directory_url)) broken["acme.directory_url"] = "url";
	if (acme && !acme.terms_agreed) broken["acme.terms_agreed"] = "terms";
	if (values.accountless) return broken;
	if (!mail.test(body.email)) broken.email = "email";
	if (values.repeat !== values.password) broken.repeat = "repeat";
	return broken;
}

/** setupResolver checks all steps at once; the wizard asks for those of one step. */
export function setupResolver(ui: TFunction, own: TFunction): Resolver<Values> {
	return (values) => {
		const errors: FieldErrors = {};
		const schema = values.accountless ? zSetupNodeWritable : zCompleteSetupRequestWritable;
		for (const issue of schema.safeParse(requestOf(values)).error?.issues ?? []) {
			set(errors, issue.path.join("."), { type: issue.code, message: issueText(issue, ui) });
		}
		for (const [name, rule] of Object.entries(rulesBroken(values))) {
			set(errors, name, { type: rule, message: own(`invalid.${rule}`) });
		}
		return Object.keys(errors).length > 0 ? { values: {}, errors: errors as never } : { values, errors: {} };
	};
}

const input = (schema: FormSchema, field: Field, name: FieldName): Input => ({ ...describe(schema, field), name });

/** inputs that look like every other form's. */
export const inputs = {
	fqdn: input(zCompleteSetupRequestWritable, { name: "fqdn" }, "fqdn"),
	acmeEmail: input(zSetupAcme, { name: "email", required: true, autoComplete: "email" }, "acme.email"),
	directory: input(zSetupAcme, { name: "directory_url" }, "acme.directory_url"),
	email: input(zCompleteSetupRequestWritable, { name: "email", autoComplete: "username" }, "email"),
	password: input(zCompleteSetupRequestWritable, { name: "password", strength: true }, "password"),
	repeat: input(zCompleteSetupRequestWritable, { name: "password" }, "repeat"),
};
