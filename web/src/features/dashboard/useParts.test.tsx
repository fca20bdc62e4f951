import { queryClient, setUp } from "@api";
import { screen } from "@testing-library/react";
import type { Feature } from "@ui/feature";
import i18next from "i18next";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { renderApp } from "../../test/render";
import { answer, ok } from "../../test/server";
import { useParts } from "./useParts";

const identity = { id: "1", email: "ann@example.com", role: "admin", totp_enabled: false, limited: false };

beforeAll(() => {
	setUp();
	i18next.addResourceBundle("en", "toy", { title: "Toys" });
});
beforeEach(() => {
	queryClient.clear();
	answer({
		"GET /auth/me": () => ok(identity),
		"GET /system/health": () => ok({ database: true, setup_complete: true }),
	});
});

function Page() {
	const { cards, missing } = useParts();
	return (
		<>
			{cards.map(({ feature, card: Card }) => (
				<Card key={feature} />
			))}
			<p>{`missing: ${missing.join()}`}</p>
		</>
	);
}

test("a part that cannot be loaded takes no other along, and is named", async () => {
	// It was reloaded for already: nothing more can be done about it.
	sessionStorage.setItem("gateway.reloaded.dashboard of broken", "");
	const toy: Feature = {
		id: "toy",
		routes: [{ path: "/toys", titleKey: "title", page: async () => ({ default: Page }) }],
		dashboard: async () => ({ part: { cards: [{ order: 1, card: () => <p>All wound up</p> }] } }),
	};
	const broken: Feature = { id: "broken", routes: [], dashboard: () => Promise.reject(new Error("gone")) };
	renderApp([toy, broken], "/toys");
	expect(await screen.findByText("All wound up")).toBeTruthy();
	expect(await screen.findByText("missing: broken")).toBeTruthy();
});
