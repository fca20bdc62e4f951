import { zProxyBackendInput, zProxyDomainInput, zProxyServerInput, zSystemAcme } from "@api/schemas";
import { describe, type Field, type FormSchema, type Input } from "@ui/fields";
import type { TFunction } from "i18next";
import type { FieldErrors, Resolver } from "react-hook-form";
import { type FieldName, type Values, wrongIn } from "./publish";
import { useSitePools } from "./requests";

/** publishResolver checks all steps at once; the wizard asks for those of one step. */
export const publishResolver =
	(t: TFunction, asksTerms: boolean): Resolver<Values> =>
	(values) => {
		const wrong = Object.entries(wrongIn(values, asksTerms)).map(([name, rule]) => [
			name,
			{ type: rule, message: t(`publish.invalid.${rule}`) },
		]);
		if (wrong.length === 0) return { values, errors: {} };
		return { values: {}, errors: Object.fromEntries(wrong) as FieldErrors<Values> };
	};

const input = (schema: FormSchema, field: Field, name: FieldName): Input => ({ ...describe(schema, field), name });

/** inputs that look like every other form's. */
export const inputs = {
	name: input(zProxyDomainInput, { name: "name" }, "name"),
	pool: input(
		zProxyDomainInput,
		{ name: "backend_id", kind: "choice", required: true, useChoices: useSitePools },
		"backend_id",
	),
	scheme: { ...input(zProxyBackendInput, { name: "scheme", required: true }, "scheme"), options: ["http", "https"] },
	address: input(zProxyServerInput, { name: "address" }, "address"),
	port: input(zProxyServerInput, { name: "port", narrow: true }, "port"),
	poolName: input(zProxyBackendInput, { name: "name", required: false }, "pool_name"),
	directory: input(zSystemAcme, { name: "directory_url" }, "directory"),
};
