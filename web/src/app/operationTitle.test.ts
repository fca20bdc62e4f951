import i18next from "i18next";
import { afterAll, beforeAll, expect, test } from "vitest";
import api from "../../openapi.json";
import { setLanguage, startLanguage } from "./language";
import { operationTitle } from "./operationTitle";

beforeAll(startLanguage, 60_000);
afterAll(() => setLanguage("en", false));

const paths = api.paths as Record<string, Record<string, { "x-gateway-lasting"?: boolean }>>;
const asking = Object.entries(paths).flatMap(([path, methods]) =>
	Object.entries(methods)
		.filter(([, operation]) => operation["x-gateway-lasting"])
		.map(([method]) => `${method.toUpperCase()} ${path}`),
);

test.each(["en", "de"] as const)("every operation that asks for the password has words in %s", async (language) => {
	await setLanguage(language, false);
	expect(asking.length).toBeGreaterThan(5);
	const titles = [...asking, "POST /changes/{id}/revert", "POST /batch"].map((operation) => {
		const title = operationTitle(operation);
		expect(title, operation).not.toBe(operation);
		expect(i18next.exists(title), operation).toBe(false); // a key that nobody has a text for is answered itself
		expect(title, operation).toMatch(/ /);
		return title;
	});
	expect(new Set(titles).size).toBe(titles.length);
});

test("the words are those of the page, and what has none is shown as it is", async () => {
	await setLanguage("en", false);
	expect(operationTitle("POST /auth/tokens")).toBe("Create API token");
	expect(operationTitle("POST /changes/019a-1/revert")).toBe("Revert this change");
	expect(operationTitle("POST /nothing")).toBe("POST /nothing");
	await setLanguage("de", false);
	expect(operationTitle("POST /users")).toBe("Benutzer anlegen");
});
