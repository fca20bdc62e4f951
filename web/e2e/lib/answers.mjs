// answers.mjs answers in place of the API with data that fits its OpenAPI document, of several kinds: what no lab node
// has all at once.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { atGate } from "./driver.mjs";
import { sampleText, uuid } from "./samples.mjs";

const folder = new URL("../../", import.meta.url);
const read = (name) => JSON.parse(readFileSync(new URL(name, folder), "utf8"));
const text = readFileSync(new URL("openapi.json", folder), "utf8");
const document = JSON.parse(text);

/** The kinds of data, and how many rows a list has. */
export const kinds = { empty: 0, rows: 30, long: 12, errors: 0, navigation: 6 };

const catalog = (ns) => {
	const file = `src/features/${ns}/messages/en.json`;
	return existsSync(new URL(file, folder)) ? read(file) : {};
};

/** Codes that problems have, with the names of what their sentences say, out of the catalogs. */
const codes = readdirSync(new URL("src/features/", folder)).flatMap((ns) =>
	Object.entries(catalog(ns).problems ?? {}).map(([code, { message }]) => ({
		code: `${ns}.${code}`,
		params: [...message.matchAll(/\{\{(\w+)/g)].map(([, name]) => name),
	})),
);

const resolve = (schema) => {
	let found = schema;
	while (found.$ref) found = document.components.schemas[found.$ref.split("/").at(-1)];
	return found;
};

const typeOf = ({ type }) => (Array.isArray(type) ? type.find((one) => one !== "null") : type);
const hash = (text) => [...text].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 9973, 7);

/** limitsOf are the fields that a request takes at the same place: which values, how long. */
function limitsOf(path) {
	const body = document.paths[path]?.post?.requestBody?.content["application/json"]?.schema;
	return body ? (resolve(body).properties ?? {}) : {};
}

/** Maker makes a value for a schema; at is the path, where what the fields hold is decided. */
class Maker {
	constructor(at, kind) {
		Object.assign(this, { at, kind, long: kind === "long", rows: kinds[kind], limits: limitsOf(at) });
	}

	make(given, name = "", i = 0, depth = 0) {
		const schema = resolve(given);
		const limit = resolve(this.limits[name] ?? {});
		const choices = schema.enum ?? limit.enum;
		if (choices) return choices[(i + depth) % choices.length];
		switch (typeOf(schema) ?? (schema.properties ? "object" : "any")) {
			case "object":
				return this.object(schema, name, i, depth);
			case "array":
				return this.array(schema, name, i, depth);
			case "integer":
			case "number":
				return this.number(schema, name, i);
			case "boolean":
				return (hash(name) + i) % 3 !== 0;
			case "string":
				return this.string(schema, name, i, limit.maxLength ?? schema.maxLength);
			default:
				return { name: sampleText(`${this.at} name`, i, this.long), enabled: true, port: 443 };
		}
	}

	object(schema, name, i, depth) {
		if (schema.properties)
			return Object.fromEntries(
				Object.entries(schema.properties)
					// What may hold another of its kind ends somewhere.
					.filter(([key]) => key !== "$schema" && (depth < 8 || schema.required?.includes(key)))
					.map(([key, inner]) => [key, this.make(inner, key, i, depth + 1)]),
			);
		const inner = schema.additionalProperties;
		if (typeof inner !== "object") return {};
		const keys = name === "files" ? ["/etc/haproxy/haproxy.cfg", "/etc/unbound/unbound.conf"] : ["server", "key_name"];
		return Object.fromEntries(keys.map((key, n) => [key, this.make(inner, name, i + n, depth + 1)]));
	}

	array(schema, name, i, depth) {
		// A list of the API has as many rows as its kind; one in a row has a few.
		const outer = depth === 0 || /^(problems|services|packages|backends|sites|connections|certificates)$/.test(name);
		const few = this.rows === 0 ? 0 : this.long ? 5 : 1 + ((hash(name) + i) % 3);
		const count = outer && depth < 2 ? this.rows : few;
		return Array.from({ length: count }, (_, n) => this.make(schema.items ?? {}, name, outer ? n : i + n, depth + 1));
	}

	number(schema, name, i) {
		const many = this.long ? 987_654_321_098 : 4_200;
		if (/port/.test(name)) return 1024 + i;
		if (/^(priority|seq|revision|ifindex)$/.test(name)) return i + 1;
		if (/percent|rate$|^load|stratum|poll|prefixlen|weight/.test(name)) return 1 + (i % 15);
		const value = many + i * 37;
		return Math.max(schema.minimum ?? 0, Math.min(schema.maximum ?? value, value));
	}

	string(schema, name, i, limit) {
		if (schema.format === "date-time")
			return new Date(Date.now() + (/expires|not_after/.test(name) ? 1 : -1) * (i + 1) * 5_400_000).toISOString();
		if (name === "id") return uuid(i + 1);
		if (/(^|_)id$/.test(name)) return uuid(1 + (i % 5));
		return sampleText(`${this.at} ${name}`, i, this.long, limit);
	}
}

/** Operations are the GETs of the document, with a pattern for their addresses. */
const operations = Object.entries(document.paths)
	.filter(([, { get }]) => get?.responses["200"]?.content?.["application/json"])
	.map(([path, { get }]) => ({
		path,
		pattern: new RegExp(`^${path.replace(/\{\w+\}/g, "[^/]+")}$`),
		schema: get.responses["200"].content["application/json"].schema,
	}))
	.sort((a, b) => a.path.split("{").length - b.path.split("{").length);

/** dataOf is what the document says is in "data" of an answer. */
function dataOf(schema) {
	const { properties } = resolve(schema);
	return properties?.data ?? schema;
}

const identity = { id: uuid(1), email: "ann@example.com", role: "admin", totp_enabled: true, limited: false };

/** Where one value must fit another, the document alone does not say how. */
const special = {
	"/auth/me": (data, { kind, long }) =>
		long ? { ...identity, email: data.email } : { ...identity, totp_enabled: kind !== "empty" },
	"/system/health": (data, { kind }) => ({ ...data, database: kind !== "errors", setup_complete: true }),
	"/setup/status": () => ({ complete: true }),
	"/firewall/matrix": (data, { rows, long }) => matrix(data, Math.min(rows, 6), long),
	"/problems": (data, { page }) => ({
		...data,
		problems: (page === "/" && data.problems.length > 0 ? everySentence(data.problems) : data.problems).map(
			(problem, i) => known(problem, i + hash(page)),
		),
		unknown: data.unknown.slice(0, 1),
		counts: Object.fromEntries(
			Object.keys(data.counts).map((one) => [one, data.problems.filter(({ severity }) => severity === one).length]),
		),
	}),
	"/problems/states/{id}": (data, maker) => ({
		known: maker.kind !== "errors",
		states: Object.fromEntries(
			Array.from({ length: Math.floor(maker.rows * 0.7) }, (_, i) => [
				uuid(i + 1),
				known({ ...data.states.server, state: sampleText("/problems/states state", i) }, i + hash(maker.page)),
			]),
		),
	}),
	"/system/components": (data, { kind }) => components(data, kind),
	"/system/resources": (data) => ({
		...data,
		num_cpus: 4,
		cpu: { busy_seconds: Date.now() / 4000, total_seconds: Date.now() / 1000 },
		disk: { free: 4e9, used: 6e9, total: 1e10 },
		memory: { total: 8e9, used: 3e9, free: 5e9, available: 5e9, swap_free: 0, swap_total: 0 },
	}),
	"/firewall/connections": (data, { rows }) => ({ ...data, total: rows }),
	"/certificates/summary": (_data, { rows }) => ({ total: rows, errors: 1, expired: 1, expiring: 2 }),
};

/** everySentence is as many problems as there are codes: the dashboard shows them all. */
const everySentence = (problems) =>
	codes.map((_, i) => {
		const one = problems[i % problems.length];
		return { ...one, subject: one.subject && { ...one.subject, id: uuid(i + 1) } };
	});

/** known is a problem that the catalogs have words for. */
function known(problem, i) {
	const { code, params } = codes[i % codes.length];
	const name = problem.subject?.name ?? problem.message;
	return { ...problem, code, params: Object.fromEntries(params.map((one) => [one, name])) };
}

function matrix(data, count, long) {
	const names = Array.from({ length: count }, (_, i) => sampleText("/firewall/matrix name", i, long));
	const [cell] = data.cells;
	return {
		zones: names.map((name, i) => ({ name, interfaces: i % 3 })),
		cells: names.flatMap((src, i) =>
			names.map((dst, n) => ({ ...cell, src, dst, reach: ["all", "some", "none", "unknown"][(i + n) % 4] })),
		),
	};
}

/** components has each component once; with long names one of them waits to be confirmed. */
function components(data, kind) {
	const names = [
		"proxy",
		"firewall",
		"dns",
		"ntp",
		"network",
		"tunnel",
		"uplink",
		"cert",
		"dhcp",
		"radius",
		"forwardproxy",
		"logs",
	];
	const seen = data.slice(0, names.length);
	return seen.map((one, i) => {
		const stage = ["live", "failed", "held", "live"][i % 4];
		const { confirm: _, ...rest } = { ...one, component: names[i], stage };
		return kind === "long" && i === 0 ? { ...rest, confirm: { change: uuid(1), seconds_left: 3_000 } } : rest;
	});
}

/** What a page needs to come up at all; it fails in no kind of data. */
const always = /^\/(auth\/me|system\/health|setup\/status)$/;
/** At the gate nothing is asked for twice: a page does that after a second. */
const failures = [
	[500, { code: "internal", message: "the server met an error that it did not expect" }],
	[503, { code: "database_unavailable", message: "the database does not answer" }],
];

/** What a page outside of the shell needs: nobody is signed in, or the node is new. */
const outside = {
	"/sign-in": { "/auth/me": () => refused(401, { code: "unauthenticated", message: "sign in first" }) },
	"/setup": {
		"/system/health": () => fine({ version: "0.1.0", hostname: "gw1", database: true, setup_complete: false }),
		"/setup/status": () => fine({ complete: false }),
	},
};

/** answerTo is the status, headers and body that a request of the page at an address gets. */
export function answerTo(path, kind, page = "/") {
	const found = outside[page]?.[path];
	if (found) return found();
	if (path === "/openapi.json") return { status: 200, headers: {}, body: text };
	const operation = operations.find(({ pattern }) => pattern.test(path));
	if (!operation) return refused(404, { code: "not_found", message: "there is no such thing" });
	if (kind === "errors" && !always.test(path))
		return refused(...failures[atGate ? 1 : hash(operation.path) % failures.length]);
	const maker = new Maker(operation.path.replace(/\/\{\w+\}/g, ""), kind);
	maker.page = page;
	const made = maker.make(dataOf(operation.schema));
	const data = special[operation.path]?.(made, maker) ?? made;
	return fine(data);
}

const fine = (data) => ({
	status: 200,
	headers: Array.isArray(data) ? { "X-Total-Count": String(data.length) } : {},
	body: JSON.stringify({ data, error: null }),
});

const refused = (status, error) => ({ status, headers: {}, body: JSON.stringify({ data: null, error }) });
