import { ApiError, carryOut, setUp, updateUser } from "@api";
import { act, render, screen } from "@testing-library/react";
import { serverText } from "@ui";
import { useTranslation } from "@ui/translation";
import i18next from "i18next";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { answer, ok, refusal } from "../test/server";
import { setLanguage, startLanguage } from "./language";

const taken = { message: "is taken", text: "is taken" };
const german = "Bereits vergeben";

beforeAll(async () => {
	setUp();
	await startLanguage();
}, 60_000);
beforeEach(async () => {
	for (const language of ["de", "en"]) i18next.store.data[language] = {};
	await setLanguage("de", false);
});
afterAll(() => setLanguage("en", false));

const texts = () => Object.values(i18next.store.data.de ?? {}).filter((bundle) => "texts" in (bundle as object)).length;

test("what the server says is not among the first words", () => {
	expect(i18next.t("ui:save")).toBe("Speichern");
	expect(texts()).toBe(0);
});

function Said() {
	useTranslation("ui");
	return <p>{serverText(taken)}</p>;
}

test("a page that shows a message of the server gets its words, and says it anew", async () => {
	render(<Said />);
	expect(await screen.findByText(german)).toBeTruthy();
});

test("so it does after the language was changed", async () => {
	render(<Said />);
	await screen.findByText(german);
	await act(() => setLanguage("en", false));
	expect(await screen.findByText("Already in use")).toBeTruthy();
});

test("whoever catches an error can word it at once", async () => {
	answer({ "PUT /users/u": () => refusal(409, { code: "conflict", ...taken }) });
	const failed = await updateUser({ path: { id: "u" }, body: {} as never }).catch((error: unknown) => error);
	expect(failed).toBeInstanceOf(ApiError);
	expect(serverText(failed as ApiError)).toBe(german);
});

test("so can whoever is told why a change is not live", async () => {
	const headers = { "Gateway-Change": "c", "Gateway-Apply": "failed", "Gateway-Apply-Text": "is taken" };
	answer({ "PUT /users/u": () => ok({}, { ...headers, "Gateway-Apply-Reason": "is taken" }) });
	const { outcome } = await carryOut({}, () => updateUser({ path: { id: "u" }, body: {} as never }));
	expect(serverText({ message: "", ...outcome?.words })).toBe(german);
});

test("that nobody is signed in needs no words of the server", async () => {
	answer({ "PUT /users/u": () => refusal(401, { code: "unauthenticated", message: "sign in" }) });
	await updateUser({ path: { id: "u" }, body: {} as never }).catch(() => undefined);
	expect(texts()).toBe(0);
});
