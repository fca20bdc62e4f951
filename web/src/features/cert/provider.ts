import type { CertProvider, CertProviderInput } from "@api";

/** Flat is settings as fields of their own, each named after its kind: two kinds may call a setting alike. */
export type Flat = { [field: `${string}__${string}`]: string };

export const fieldOf = (kind: string, setting: string): keyof Flat => `${kind}__${setting}`;

/** flatOf lays the settings of a provider beside its other fields. */
export function flatOf(provider: CertProvider): CertProvider & Flat {
	const fields = Object.entries(provider.settings).map(([name, value]) => [fieldOf(provider.kind, name), value]);
	return { ...provider, ...(Object.fromEntries(fields) as Flat) };
}

/** nestedOf puts the fields of a kind back into its settings. */
export function nestedOf(body: CertProviderInput & Flat): CertProviderInput {
	const start = fieldOf(body.kind, "");
	const settings = Object.entries(body)
		.filter(([name]) => name.startsWith(start))
		.map(([name, value]) => [name.slice(start.length), value as string]);
	return { name: body.name, kind: body.kind, settings: Object.fromEntries(settings) as Record<string, string> };
}
