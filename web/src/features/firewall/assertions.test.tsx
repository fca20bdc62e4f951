import { queryClient, session, setUp } from "@api";
import { screen, within } from "@testing-library/react";
import { beforeAll, expect, test } from "vitest";
import { renderApp } from "../../test/render";
import { answer, listed, ok } from "../../test/server";
import { feature } from ".";
import { answers } from "./fixture";

beforeAll(async () => {
	setUp();
	await import("./AssertionsTab"); // Loading it is not what is looked at.
	queryClient.clear();
	session.over.set(false);
}, 60_000);

const wait = { timeout: 15_000 };
const assertion = (id: string, enabled: boolean) => ({
	id,
	name: id,
	description: "",
	expect: "never",
	src_zone: "wan",
	src_cidr: "",
	dst_zone: "lan",
	dst_cidr: "",
	service_object_id: null,
	service_group_id: null,
	enabled,
	revision: 1,
	created_at: "2026-11-01T12:00:00Z",
	updated_at: "2026-11-01T12:00:00Z",
});

test("an assertion is green because it holds, not because it is enabled", async () => {
	const state = (name: string, code = "") => ({
		state: name,
		code,
		params: { assertion: "x", reason: "y" },
		message: "",
	});
	const states = { broken: state("broken", "firewall.assertion_broken"), off: state("disabled") };
	answer({
		...listed({
			...answers,
			"GET /firewall/assertions": ["holding", "broken", "off"].map((id) => assertion(id, id !== "off")),
		}),
		"GET /problems/states/assertion": () => ok({ known: true, states }),
	});
	renderApp([feature], "/firewall?tab=assertions");
	for (const [name, word, colour] of [
		["holding", "Holds", "success"],
		["broken", "Violated", "danger"],
		["off", "Disabled", "neutral"],
	] as const) {
		const row = (await screen.findByText(name, undefined, wait)).closest("tr") as HTMLElement;
		expect(
			(await within(row).findByText(word, undefined, wait)).closest("[data-status]")?.getAttribute("data-status"),
		).toBe(colour);
	}
}, 40_000);
