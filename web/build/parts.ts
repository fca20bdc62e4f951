import { readFileSync } from "node:fs";

/** Words are the content of a catalog, or a block of it. */
interface Words {
	[key: string]: string | Words;
}
type Part = "texts" | "words" | "page";

const wanted = /^(.*\/messages\/\w+\.json)\?(texts|words|page)$/;
/** A visit begins at the pages of the two others: their words are in the first load. */
const withPages = /\/features\/(?!dashboard\/|sign-in\/)[\w-]+\/messages\/\w+\.json$/;

/** Blocks of a feature that the server asks for, by codes. */
const codes = ["problems", "check"];
/** Blocks of a feature that other pages show too. */
const shared = ["action", "noun", "problem", "services"];
/** Pages are named by these everywhere, each alone or in a block: "title", "site.detail". */
const titles = ["title", "detail"];

/** partOf is where a block of a feature belongs, or one key of a block. */
function partOf(block: string, key?: string): Part {
	if (block === "texts" || codes.includes(block)) return "texts";
	return shared.includes(block) || titles.includes(key ?? block) ? "words" : "page";
}

/** divide puts every word of a feature into its part. */
function divide(catalog: Words): Record<Part, Words> {
	const parts: Record<Part, Words> = { texts: {}, words: {}, page: {} };
	for (const [block, inner] of Object.entries(catalog)) {
		if (typeof inner === "string") {
			parts[partOf(block)][block] = inner;
			continue;
		}
		for (const [key, value] of Object.entries(inner)) {
			const part = parts[partOf(block, key)];
			part[block] = { ...(part[block] as Words | undefined), [key]: value };
		}
	}
	return parts;
}

/** whole: what every visit shows needs no parting but from what the server says. */
function whole({ texts = {}, ...words }: Words): Record<Part, Words> {
	return { texts: { texts }, words, page: {} };
}

/**
 * parts divides the catalogs: "de.json?words" is part of the first load, "de.json?page" comes with the first page of
 * its feature, and "de.json?texts" is what the server says and comes when the first message or problem does.
 */
export function parts() {
	return {
		name: "gateway-parts",
		enforce: "pre" as const,
		load(id: string) {
			const [, file, part] = wanted.exec(id) ?? [];
			if (!file) return null;
			const catalog = JSON.parse(readFileSync(file, "utf8")) as Words;
			const divided = withPages.test(file) ? divide(catalog) : whole(catalog);
			return { code: `export default ${JSON.stringify(divided[part as Part])};`, moduleType: "js" as const };
		},
	};
}
