import { queryClient, session, setUp } from "@api";
import { screen, within } from "@testing-library/react";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { ann } from "../../test/published";
import { renderApp } from "../../test/render";
import { answer, listed } from "../../test/server";
import { feature } from ".";

beforeAll(async () => {
	setUp();
	await Promise.all([import("./CertificatesPage"), import("@ui/change/RemoveDialog"), import("./Removing")]);
}, 120_000);
beforeEach(() => {
	queryClient.clear();
	session.over.set(false);
});

const names = ["shop", "www", "a", "b", "c", "d", "e"].map((label) => `${label}.example.com`);
const certificate = { id: "c1", revision: 1, names, status: "valid", source: "self_signed", expires_at: null };
const domain = (name: string) => ({ id: name, name });

test.each([
	[
		"the domains that use it",
		[domain("shop.example.com"), domain("www.example.com")],
		"shop.example.com, www.example.com",
	],
	["that none does", [], "No domain is served with this certificate."],
])(
	"whoever deletes a certificate sees its names and %s",
	async (_, domains, said) => {
		answer(
			listed({
				"GET /system/health": { version: "1.0.0", hostname: "gw1", database: true, setup_complete: true },
				"GET /auth/me": ann,
				"GET /certificates": [certificate],
				"GET /certificates/c1": certificate,
				"GET /certificate-domains/c1": domains,
			}),
		);
		renderApp([feature], "/certificates?do=delete&id=c1");
		const dialog = within(await screen.findByRole("dialog", { name: /Delete certificate/ }, { timeout: 20_000 }));
		expect(await dialog.findByText(`${names.slice(0, 5).join(", ")} and 2 more`)).toBeTruthy();
		expect(await dialog.findByText(said)).toBeTruthy();
	},
	60_000,
);
