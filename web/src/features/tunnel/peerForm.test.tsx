import { queryClient, session, setUp } from "@api";
import { screen } from "@testing-library/react";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { renderApp } from "../../test/render";
import { answer, listed } from "../../test/server";
import { feature } from ".";
import de from "./messages/de.json";

const common = listed({
	"GET /system/health": {
		version: "1.0.0",
		hostname: "gw1",
		os: "",
		kernel: "",
		database: true,
		setup_complete: true,
	},
	"GET /auth/me": { id: "1", email: "ann@example.com", role: "admin", totp_enabled: false, limited: false },
	"GET /tunnel/interfaces": [],
	"GET /tunnel/peers": [],
	"GET /tunnel/status": {},
	"GET /problems/states/tunnel_peer": { known: true, states: {} },
	"GET /problems": { version: 1, problems: [], unknown: [], counts: {} },
	"GET /system/components": [],
});

beforeAll(async () => {
	setUp();
	// Loading them is not what is looked at.
	await Promise.all([import("./TunnelPage"), import("./peerForm"), import("@ui/ResourceForm")]);
}, 60_000);
beforeEach(() => {
	queryClient.clear();
	session.over.set(false);
});

const wait = { timeout: 15_000 };

/** told is the text that stands with the field, for eyes and for screen readers. */
async function told(label: RegExp): Promise<string> {
	const input = await screen.findByLabelText(label, {}, wait);
	const help = document.getElementById(input.getAttribute("aria-describedby") ?? "");
	expect(help?.closest("[hidden], details:not([open])")).toBeNull();
	return help?.textContent ?? "";
}

// shows TUN-12
test("the form of a peer says to use /32, and why", async () => {
	answer(common);
	renderApp([feature], "/tunnels?tab=peers&do=create");
	const text = await told(/^Allowed IPs/);
	expect(text).toContain("Use /32");
	expect(text).toContain("a wider network also claims addresses that other peers may need");
}, 30_000);

test("so it does in German", () => {
	expect(de.peer.help.allowed_ips).toContain("/32");
	expect(de.peer.help.allowed_ips).toContain("die andere Peers brauchen");
});
