import { queryClient, setUp } from "@api";
import { screen } from "@testing-library/react";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { renderApp } from "../../test/render";
import { answer, ok, refusal } from "../../test/server";
import { feature } from ".";

const identity = { id: "1", email: "ann@example.com", role: "admin", totp_enabled: false, limited: false };
const well = {
	synchronised: true,
	offset: 0.001,
	source: "a",
	source_address: "192.0.2.1",
	stratum: 2,
	last_update: null,
};

beforeAll(async () => {
	setUp();
	await import("./NtpPage");
}, 60_000);
beforeEach(() => queryClient.clear());

const open = (status: () => Response) => {
	answer({
		"GET /auth/me": () => ok(identity),
		"GET /system/health": () => ok({ version: "1.0.0", database: true, setup_complete: true }),
		"GET /ntp/status": status,
	});
	renderApp([feature], "/ntp");
};

test.each([
	["runs", () => ok(well), /^Synchronised$/, true],
	[
		"is switched off",
		() => refusal(409, { code: "switched_off", message: "it is off" }),
		/service is switched off/,
		false,
	],
	["does not answer", () => refusal(503, { code: "unavailable", message: "it sleeps" }), /it sleeps/i, true],
])(
	"whether the clock can be set while the daemon %s",
	async (_, status, text, offered) => {
		open(status);
		expect(await screen.findByText(text, undefined, { timeout: 15_000 })).toBeTruthy();
		expect(screen.queryByRole("button", { name: "Synchronise now" }) !== null).toBe(offered);
	},
	40_000,
);
