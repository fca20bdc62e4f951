import type { IntentRow } from "@api";
import { expect, test } from "vitest";
import { planWords } from "./planWords";

const row = (table: string, operation: IntentRow["operation"], made?: object, old?: object): IntentRow => ({
	table,
	operation,
	new: made,
	old,
});

test("a change is told in nouns: one by its name, several by their number", () => {
	const rows = [
		row("proxy_backends", "INSERT", { name: "shop" }),
		row("proxy_servers", "INSERT", { name: "server-1" }),
		row("proxy_servers", "INSERT", { name: "server-2" }),
		row("proxy_domains", "INSERT", { name: "shop.example.com" }),
		row("certificates", "INSERT", { names: ["shop.example.com"], source: "acme" }),
	];
	expect(planWords(rows)).toEqual([
		"Adds backend shop, 2 servers, domain shop.example.com",
		"Orders certificate shop.example.com",
	]);
});

test("what is added, changed and deleted are sentences of their own", () => {
	const rows = [
		row("dns_records", "DELETE", undefined, { name: "old" }),
		row("dns_settings", "UPDATE", { dnssec: false }, { dnssec: true }),
		row("certificates", "INSERT", { names: ["a.example.com"], source: "upload" }),
	];
	expect(planWords(rows)).toEqual(["Adds certificate a.example.com", "Changes DNS settings", "Deletes DNS record old"]);
});

test("a row that stays as it was is no change, and a table without a word is counted last", () => {
	const rows = [
		row("acme_orders", "INSERT", { id: "1" }),
		row("dns_zones", "UPDATE", { name: "a", revision: 2 }, { name: "a", revision: 1 }),
		row("dns_zones", "INSERT", { name: "example.com." }),
	];
	expect(planWords(rows)).toEqual(["Adds DNS zone example.com, 1 other entry"]);
	expect(planWords([])).toEqual([]);
});

test("the words of a table may be those of its feature", () => {
	expect(planWords([row("radius_users", "INSERT", { name: "ann" })])).toEqual(["Adds RADIUS user ann"]);
	expect(planWords([row("backup_targets", "UPDATE", { name: "a" }, { name: "b" })])).toEqual([
		"Changes backup target a",
	]);
	expect(planWords([row("radius_settings", "UPDATE", { enabled: true }, { enabled: false })])).toEqual([
		"Changes RADIUS settings",
	]);
});
