import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { halves } from "./halves";

const file = join(process.cwd(), "src/ui/messages/de.json");
const whole = JSON.parse(readFileSync(file, "utf8")) as Record<string, unknown>;
const load = (id: string) => {
	const code = halves().load(id)?.code;
	return code && (JSON.parse(code.replace(/^export default |;$/g, "")) as Record<string, unknown>);
};

test("the two halves of a catalog are the catalog", () => {
	const { texts, ...words } = whole;
	expect(load(`${file}?texts`)).toEqual({ texts });
	expect(load(`${file}?words`)).toEqual(words);
	expect(Object.keys(texts as object).length).toBeGreaterThan(50);
});

test("other files are nobody's business here", () => {
	expect(load(file)).toBeUndefined();
	expect(load(`${file}?raw`)).toBeUndefined();
	expect(load(`${file.replace("messages", "other")}?texts`)).toBeUndefined();
});
