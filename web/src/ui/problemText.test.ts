import i18next from "i18next";
import { expect, test } from "vitest";
import { problemTitle, stateReason } from "./problemText";

const said = "there is no interface eth9 on this node";
const problem = {
	code: "nowhere.missing",
	message: `Uplink dsl is not applied: ${said}`,
	params: {
		what: "uplink dsl",
		what_words: { text: "uplink %s", params: ["dsl"] },
		why: said,
		why_words: { text: "there is no interface %s on this node", params: ["eth9"] },
	},
};

test("what is not applied, and why, is in the reader's language", async () => {
	const message = "{{what}} is not applied: {{why}}";
	i18next.addResourceBundle("en", "nowhere", { problems: { missing: { message } } });
	expect(problemTitle(problem)).toBe(problem.message);
	i18next.addResourceBundle("de", "nowhere", {
		problems: { missing: { message: "{{what}} ist nicht angewendet: {{why}}" } },
		texts: {
			"there is no interface %s on this node": "Es gibt hier keine Schnittstelle {{0}}",
			"uplink %s": "Internetzugang {{0}}",
		},
	});
	await i18next.changeLanguage("de");
	expect(problemTitle(problem)).toBe("Internetzugang dsl ist nicht angewendet: Es gibt hier keine Schnittstelle eth9");
	// The kernel's own words have no translation.
	const foreign = { ...problem, params: { what: "uplink dsl", why: "no buffer space" } };
	expect(problemTitle(foreign)).toBe("uplink dsl ist nicht angewendet: no buffer space");
	await i18next.changeLanguage("en");
});

test("the reason of a state leaves the letters of a name as they are", () => {
	const state = { state: "down", code: "nowhere.gone", params: {} };
	expect(stateReason({ ...state, message: "wg0 is gone" })).toBe("wg0 is gone.");
});
