import { queryClient } from "@api";
import { renderHook, waitFor } from "@testing-library/react";
import { subjectOf, useOperationTitle } from "@ui/operationTitle";
import i18next from "i18next";
import { afterAll, beforeEach, expect, test } from "vitest";
import api from "../../openapi.json";
import { setLanguage, startLanguage } from "./language";

beforeEach(async () => {
	await startLanguage();
	for (const language of ["de", "en"]) i18next.store.data[language] = {}; // as before any page was open
}, 60_000);
afterAll(() => setLanguage("en", false));

const paths = api.paths as Record<string, Record<string, { "x-gateway-lasting"?: boolean }>>;
const asking = Object.entries(paths).flatMap(([path, methods]) =>
	Object.entries(methods)
		.filter(([, operation]) => operation["x-gateway-lasting"])
		.map(([method]) => `${method.toUpperCase()} ${path}`),
);

async function titleOf(operation: string): Promise<string> {
	const { result, unmount } = renderHook(() => useOperationTitle(operation));
	await waitFor(() => expect(result.current, operation).not.toBe(operation));
	unmount();
	return result.current;
}

test.each([
	["en", "Create API token", "Revert this change"],
	["de", "API-Token anlegen", "Diese Änderung zurücknehmen"],
] as const)(
	"every operation that asks for the password has words in %s",
	async (language, token, revert) => {
		await setLanguage(language, false);
		expect(asking.length).toBeGreaterThan(5);
		const titles = new Map<string, string>();
		for (const operation of [...asking, "POST /changes/{id}/revert", "POST /batch"])
			titles.set(operation, await titleOf(operation));
		expect(new Set(titles.values()).size).toBe(titles.size);
		expect(titles.get("POST /auth/tokens")).toBe(token);
		expect(titles.get("POST /changes/{id}/revert")).toBe(revert);
	},
	60_000,
);

test("what has no words is shown as it is", () => {
	expect(renderHook(() => useOperationTitle("POST /nothing")).result.current).toBe("POST /nothing");
});

test.each([
	["the account as it is called now", "PUT /users/3", { email: "new@example.com" }, "carl@example.com"],
	["also where the request does not have it", "POST /users/3/totp/disable", {}, "carl@example.com"],
	["what is made", "POST /auth/tokens", { name: "ci" }, "ci"],
	["nothing of what is not known", "POST /changes/9/revert", undefined, ""],
])("an operation names its subject: %s", (_, operation, body, subject) => {
	queryClient.setQueryData([{ _id: "/users/", id: "3" }], { email: "carl@example.com" });
	expect(subjectOf(operation, body)).toBe(subject);
});
