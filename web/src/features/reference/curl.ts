import type { Call } from "./request";

/** quote makes one word of any text for a POSIX shell. */
export const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

/** curlOf is the request as a command; the token comes from the shell's own variable. */
export function curlOf(call: Call, origin: string, withToken: boolean): string {
	const parts = [`curl -sS ${call.method === "GET" ? "" : `-X ${call.method} `}${quote(origin + call.url)}`];
	if (withToken) parts.push('-H "Authorization: Bearer $TOKEN"');
	for (const [name, value] of Object.entries(call.headers)) parts.push(`-H ${quote(`${name}: ${value}`)}`);
	// Not --data: that reads a file when the text begins with @.
	if (call.body !== undefined) parts.push(`--data-raw ${quote(compact(call.body))}`);
	return parts.join(" \\\n  ");
}

function compact(body: string): string {
	try {
		return JSON.stringify(JSON.parse(body));
	} catch {
		return body;
	}
}
