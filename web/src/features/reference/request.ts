import type { Operation, Parameter } from "./openapi";

/** Values are what was typed for the parameters, by "in name" ("path id"). */
export type Values = Record<string, string>;

/** Call is a request ready to be sent. */
export interface Call {
	method: string;
	/** Path and query, from the root of the server. */
	url: string;
	headers: Record<string, string>;
	body?: string;
}

export const base = "/api/v1";

export const keyOf = ({ in: place, name }: Parameter) => `${place} ${name}`;

/** missing are the parameters without which there is no request. "." and ".." would name another path. */
export const missing = (operation: Operation, values: Values): Parameter[] =>
	operation.parameters.filter((parameter) => {
		const value = values[keyOf(parameter)] ?? "";
		if (parameter.in === "path") return value === "" || value === "." || value === "..";
		return parameter.required === true && value === "";
	});

/** callOf puts a request together. */
export function callOf(operation: Operation, values: Values, body: string): Call {
	const filled = (place: string) =>
		operation.parameters
			.filter((parameter) => parameter.in === place && (values[keyOf(parameter)] ?? "") !== "")
			.map((parameter) => [parameter.name, values[keyOf(parameter)]!] as const);
	let path = operation.path;
	for (const [name, value] of filled("path")) path = path.replace(`{${name}}`, () => encodeURIComponent(value));
	const query = new URLSearchParams(filled("query").map(([name, value]) => [name, value])).toString();
	const headers: Record<string, string> = Object.fromEntries(filled("header"));
	const call: Call = { method: operation.method, url: `${base}${path}${query ? `?${query}` : ""}`, headers };
	if (operation.body === undefined) return call;
	return { ...call, headers: { ...headers, "Content-Type": "application/json" }, body };
}

/** jsonError is what is wrong with a text that should be JSON; undefined when nothing is. */
export function jsonError(text: string): string | undefined {
	try {
		JSON.parse(text);
		return undefined;
	} catch (error) {
		return error instanceof Error ? error.message : String(error);
	}
}
