import { readFileSync } from "node:fs";

const wanted = /^(.*\/messages\/\w+\.json)\?(texts|words)$/;

/**
 * halves divides the catalogs: "de.json?texts" is what the server says, and comes when the first message does; "de.json?words"
 * is all the rest, and part of the first load. In German the texts are a third of all words.
 */
export function halves() {
	return {
		name: "gateway-halves",
		enforce: "pre" as const,
		load(id: string) {
			const [, file, half] = wanted.exec(id) ?? [];
			if (!file) return null;
			const { texts = {}, ...words } = JSON.parse(readFileSync(file, "utf8")) as Record<string, unknown>;
			const code = `export default ${JSON.stringify(half === "texts" ? { texts } : words)};`;
			return { code, moduleType: "js" as const };
		},
	};
}
