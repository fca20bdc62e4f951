import type { ApiError, ChangeOperation } from "@api";
import { serverText } from "@ui/serverText";

export const steps = ["name", "where", "certificate", "summary"] as const;
export type Step = (typeof steps)[number];

/** Values is everything that the wizard asks for. */
export interface Values {
	name: string;
	/** A pool that is there, a new one of one server, or none yet. */
	where: "pool" | "new" | "later";
	backend_id: string;
	pool_name: string;
	scheme: "http" | "https";
	address: string;
	port: number | "";
	/** Covered: a certificate that is there is for the name already. */
	certificate: "covered" | "acme" | "self_signed" | "later";
	/** Agreed to the authority's terms here; asked for only where nobody did before. */
	terms: boolean;
	/** Directory of another authority, asked for with its terms; empty for the one that is set. */
	directory: string;
}

export type FieldName = keyof Values;

export const startValues: Values = {
	name: "",
	where: "new",
	backend_id: "",
	pool_name: "",
	scheme: "http",
	address: "",
	port: 80,
	certificate: "acme",
	terms: false,
	directory: "",
};

/** fieldsOf are the inputs that stand on a step. */
export const fieldsOf: Record<Step, FieldName[]> = {
	name: ["name"],
	where: ["where", "backend_id", "pool_name", "scheme", "address", "port"],
	certificate: ["certificate", "terms", "directory"],
	summary: [],
};

/** hostOf takes the name out of what people paste: an address of a page, capitals, a dot at the end. */
export const hostOf = (text: string) =>
	text
		.trim()
		.toLowerCase()
		.replace(/^[a-z]+:\/\//, "")
		.replace(/[/?#].*$/, "")
		.replace(/:\d+$/, "")
		.replace(/\.$/, "");

const label = "[\\p{L}\\p{N}_]([\\p{L}\\p{N}_-]{0,61}[\\p{L}\\p{N}_])?";
const hostForm = new RegExp(`^(\\*\\.)?(${label}\\.)+${label}$`, "u");
const addressForm = /^[\d.]+$|:/;

const directoryForm = /^https:\/\/[^/@\s]+/;

/** authorityOf names the authority with this directory; no directory is the usual one's. */
export function authorityOf(directory = ""): string {
	const url = directory.trim();
	return url && URL.canParse(url) ? new URL(url).host : "Let’s Encrypt";
}

/** isSiteName says whether a text can be the name of a site; the server has the last word. */
export const isSiteName = (text: string) => hostForm.test(text) && !addressForm.test(text);

export const isWildcard = (name: string) => name.startsWith("*.");

/** wrongIn names what is wrong, as keys below "publish.invalid". */
export function wrongIn(values: Values, asksTerms = false): Partial<Record<FieldName, string>> {
	const wrong: Partial<Record<FieldName, string>> = {};
	if (!isSiteName(hostOf(values.name))) wrong.name = "name";
	if (values.where === "pool" && !values.backend_id) wrong.backend_id = "pool";
	if (values.where === "new") {
		const { port } = values;
		if (!values.address.trim()) wrong.address = "address";
		if (port === "" || !Number.isInteger(port) || port < 1 || port > 65_535) wrong.port = "port";
	}
	if (values.certificate === "acme" && isWildcard(hostOf(values.name))) wrong.certificate = "wildcard";
	if (values.certificate === "acme" && asksTerms) {
		if (!values.terms) wrong.terms = "terms";
		if (values.directory.trim() && !directoryForm.test(values.directory.trim())) wrong.directory = "directory";
	}
	return wrong;
}

/** serverOf is the new server as it can be tested, as one text; "" while it is not complete. */
export function serverOf(values: Values): string {
	const wrong = wrongIn(values);
	if (values.where !== "new" || wrong.address || wrong.port) return "";
	const name = wrong.name ? "" : hostOf(values.name);
	return JSON.stringify({ name, scheme: values.scheme, address: values.address.trim(), port: values.port });
}

/** testable is the new server as it can be tested; undefined for none. */
export const testable = (values: Values) => {
	const server = serverOf(values);
	return server ? JSON.parse(server) : undefined;
};

/** Ids of what a new site is made of; they are given before it is made, so that its parts can name each other. */
export interface Ids {
	pool: string;
	server: string;
	site: string;
	certificate: string;
}

export const newIds = (): Ids => ({
	pool: crypto.randomUUID(),
	server: crypto.randomUUID(),
	site: crypto.randomUUID(),
	certificate: crypto.randomUUID(),
});

/** poolName is what a new pool is called when nobody said. */
export const poolName = ({ name, pool_name }: Values) => pool_name.trim() || hostOf(name);

/** operationsOf is the whole of a new site as one batch, in the order in which its parts need each other. */
export function operationsOf(values: Values, ids: Ids): ChangeOperation[] {
	const name = hostOf(values.name);
	const create = (path: string, id: string, body: object): ChangeOperation => ({ method: "POST", path, id, body });
	const { scheme, where, certificate } = values;
	const operations: ChangeOperation[] = [];
	if (where === "new") {
		const server = { backend_id: ids.pool, name: "server-1", address: values.address.trim(), port: values.port };
		operations.push(
			create("/backends", ids.pool, { name: poolName(values), scheme, health_check: true }),
			create("/backend-servers", ids.server, server),
		);
	}
	const backend = { pool: values.backend_id, new: ids.pool, later: undefined }[where];
	operations.push(create("/domains", ids.site, backend ? { name, backend_id: backend } : { name }));
	if (certificate === "acme" || certificate === "self_signed")
		operations.push(create("/certificates", ids.certificate, { names: [name], source: certificate }));
	return operations;
}

/** Where the server's complaints about a part are shown: its collection, then its field. */
const places: Record<string, Record<string, FieldName>> = {
	"/backends": { name: "pool_name", scheme: "scheme" },
	"/backend-servers": { address: "address", port: "port" },
	"/domains": { name: "name", backend_id: "backend_id" },
	"/certificates": { names: "certificate", source: "certificate" },
};

export interface Routed {
	/** Step to jump to; undefined stays at the summary. */
	step: Step | undefined;
	atField: { name: FieldName; message: string }[];
	above: string[];
}

/** routeError sends what the server complained about to the steps that asked for it. */
export function routeError(error: ApiError, operations: ChangeOperation[]): Routed {
	const atField: Routed["atField"] = [];
	const above: string[] = [];
	for (const { field, ...said } of error.fields) {
		const [, at = "", name = ""] = field.match(/^operations\[(\d+)\]\.body\.(\w+)/) ?? [];
		const place = places[operations[Number(at)]?.path ?? ""]?.[name];
		if (place) atField.push({ name: place, message: serverText(said) });
		else above.push(serverText(said));
	}
	if (atField.length + above.length === 0) above.push(serverText(error));
	const step = steps.find((one) => atField.some(({ name }) => fieldsOf[one].includes(name)));
	return { step, atField, above };
}
