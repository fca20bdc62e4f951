import { ApiError } from "@api";
import i18next from "i18next";
import { expect, test } from "vitest";
import german from "./messages/de.json";
import { place, toPath } from "./serverErrors";
import { serverText } from "./serverText";

test("a JSON path becomes a form path", () => {
	expect(toPath("servers[2].port")).toBe("servers.2.port");
});

test("messages stand at their field, and above the form when it has no such field", () => {
	const error = new ApiError(400, "invalid", "the request is not valid", [
		{ field: "email", message: "is taken", text: "is taken" },
		{ field: "acme.email", message: "must be an e-mail address", text: "must be an e-mail address" },
	]);
	expect(place(error, ["email", "role"])).toEqual({
		atField: [{ name: "email", message: "Already in use" }],
		above: ["acme.email: Must be an e-mail address"],
	});
});

test("an error without fields is told as a whole", () => {
	const said = { text: "this is the last active administrator; create or enable another administrator first" };
	const error = new ApiError(409, "conflict", said.text, [], undefined, undefined, said);
	expect(place(error, ["email"]).above).toEqual([
		"This is the last active administrator. Create or enable another administrator first",
	]);
});

test.each([
	["by its id, with its parameters", "the password must have at least %d characters", ["12"], "At least 12 characters"],
	[
		"with a change by what it did",
		"another change (%s, by %s) is waiting for confirmation; confirm or revert it first",
		["dns.zone.create home.arpa", "ann@example.com"],
		"Another change (DNS zone created: home.arpa, by ann@example.com) is waiting for confirmation. Confirm or revert it first, at the top of the page",
	],
	["with a parameter that looks like a pattern", "expired on %s", ["$& *"], "Expired on $& *"],
	["in English with a capital where the catalog has no other words", "must start with /", [], "Must start with /"],
	["as it came where it begins with a name", "%s must be a list", ["zones"], "zones must be a list"],
])("a message is worded %s", (_, text, params, want) => {
	const message = params.reduce((said, one) => said.replace(/%[sd]/, () => one), text);
	expect(serverText({ message: `operation 1: ${message}`, text, params })).toBe(want);
});

test("a message without an id stays as it came", () => {
	expect(serverText({ message: "something nobody translated" })).toBe("something nobody translated");
});

test("German may reorder the parameters, and has its own words for things", async () => {
	i18next.addResourceBundle("de", "ui", german);
	await i18next.changeLanguage("de");
	const said = { message: "", text: "another %s already has this %s", params: ["nat-rule", "name"] };
	expect(serverText(said)).toBe("Name ist bereits vergeben (NAT-Regel)");
	expect(serverText({ ...said, params: ["toy", "size"] })).toBe("size ist bereits vergeben (toy)");
	await i18next.changeLanguage("en");
});

const refusal = {
	message: "refused by p0: p0 loses p1, and the change removes its address 192.0.2.1",
	text: "refused by %s: %s",
	params: ["p0", "p0 loses p1, and the change removes its address 192.0.2.1"],
	nested: {
		1: {
			text: "%s loses p1, and %s",
			params: ["p0", "the change removes its address 192.0.2.1"],
			nested: { 1: { text: "the change removes its address %s", params: ["192.0.2.1"] } },
		},
	},
};

test("a message within a message is translated too, at any depth", async () => {
	expect(serverText(refusal)).toBe(refusal.message.replace("refused", "Refused"));
	const texts = {
		"refused by %s: %s": "Von {{0}} abgelehnt: {{1}}",
		"the change removes its address %s": "die Änderung entfernt ihre Adresse {{0}}",
	};
	i18next.addResourceBundle("de", "nested", { texts });
	await i18next.changeLanguage("de");
	// The one between has no entry and stays; what is in it does not.
	expect(serverText(refusal)).toBe("Von p0 abgelehnt: p0 loses p1, and die Änderung entfernt ihre Adresse 192.0.2.1");
	const { nested, ...plain } = refusal;
	expect(serverText(plain)).toBe(`Von p0 abgelehnt: ${plain.params[1]}`);
	await i18next.changeLanguage("en");
});
