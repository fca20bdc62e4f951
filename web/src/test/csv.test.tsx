import { type AuditEntry, connection, queryClient, session, setUp } from "@api";
import { act, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import type { Feature } from "@ui/feature";
import { beforeAll, beforeEach, expect, test, vi } from "vitest";
import { feature as alert } from "../features/alert";
import { feature as audit } from "../features/audit";
import { feature as backup } from "../features/backup";
import { feature as firewall } from "../features/firewall";
import { answers as firewallAnswers } from "../features/firewall/fixture";
import { feature as proxy } from "../features/proxy";
import { feature as radius } from "../features/radius";
import { feature as system } from "../features/system";
import { feature as users } from "../features/users";
import { sampled } from "./document";
import { sources } from "./files";
import { renderApp } from "./render";
import { saved } from "./saved";
import { answer, listed, ok } from "./server";

let streams: { url: string; onmessage?: (event: { data: string }) => void }[] = [];
class FakeSocket {
	onmessage?: (event: { data: string }) => void;
	constructor(readonly url: string) {
		streams.push(this);
	}
	close() {}
}

const nat = {
	id: "n1",
	revision: 1,
	name: "web to shop",
	kind: "dnat",
	in_zone: "wan",
	protocol: "tcp",
	warning: "",
	labels: [],
	source_cidr: "",
	destination_cidr: "",
	dest_port: 443,
	target_address: "192.0.2.1",
};
const through = { protocol: "tcp", source: "192.0.2.9", source_port: 5, destination: "198.51.100.1", port: 443 };
const state = { component: "dns", stage: "live", wanted: "a", installed: "a", observed: "a", error: "" };

const node = {
	...listed({
		...firewallAnswers,
		"GET /nat-rules": [nat],
		"GET /firewall/connections": {
			connections: [{ ...through, bytes: 1, timeout: 9, state: "ESTABLISHED" }],
			total: 7000,
		},
		"GET /system/services": {
			services: [{ name: "dns", component: "dns", active_state: "active", unit: "unbound.service", boot: "" }],
		},
		"GET /system/components": [
			{ ...state, off: [], all_off: false, since: "2026-01-01T00:00:00Z", drift: [], problems: [], keep_edits: false },
		],
		"GET /system/package-versions": {
			packages: [{ name: "unbound", installed: "1.2-3", available: "1.2-3" }],
			taken_at: null,
		},
		"GET /system/interfaces": [
			{ ifindex: 2, ifname: "eth9", flags: ["UP"], addr_info: [], mtu: 1500, link_type: "ether" },
		],
		"GET /problems/states/component": { known: true, states: {} },
	}),
};

beforeAll(setUp);
beforeEach(() => {
	queryClient.clear();
	session.over.set(false);
	connection.state.set("online");
	streams = [];
	vi.stubGlobal("WebSocket", FakeSocket);
});

const wait = { timeout: 20_000 };

test.each<[page: string, feature: Feature, file: string, text: string]>([
	["/firewall?tab=rules", firewall, "firewall-rules.csv", "Mail"],
	["/firewall?tab=nat", firewall, "nat-rules.csv", "web to shop"],
	["/connections", firewall, "connections.csv", "192.0.2.9"],
	["/system", system, "services.csv", "unbound.service"],
	["/system?tab=components", system, "components.csv", "live"],
	["/system?tab=packages", system, "packages.csv", "1.2-3"],
	["/system?tab=interfaces", system, "interfaces.csv", "eth9"],
])(
	"the list of %s is a file",
	async (page, feature, file, text) => {
		const seen = answer(node);
		const files = saved();
		renderApp([feature], page);
		await userEvent.setup().click(await screen.findByRole("button", { name: "Download as CSV" }, wait));
		await waitFor(() => expect(files.get(file)).toContain(text), wait);
		if (page !== "/connections") return;
		// More than the page shows, as far as the server lists; that there are others is said.
		expect(seen.map(({ url }) => new URL(url).searchParams.get("limit"))).toContain("5000");
		expect(await screen.findByText(/first 1 of 7,000/, undefined, wait)).toBeTruthy();
	},
	60_000,
);

/** What is answered here is what the OpenAPI document says, since no words of it matter. */
test.each<[page: string, feature: Feature, file: string, text: string]>([
	["/alerts?tab=events", alert, "alert-events.csv", "subject_kind"],
	["/backups", backup, "backups.csv", "verify_status"],
	["/radius?tab=sign-ins", radius, "radius-sign-ins.csv", "station"],
	["/users?do=tokens&id=id-1", users, "tokens.csv", "last_used_at"],
	["/system?tab=settings", system, "kept.csv", "oldest_at"],
	["/proxy/sites/id-1?tab=rules", proxy, "routing-rules.csv", "path_prefix"],
])(
	"the short list of %s is a file",
	async (page, feature, file, column) => {
		vi.stubGlobal("fetch", async (request: Request) => {
			const me = { id: "1", email: "ann@example.com", role: "admin", limited: false };
			return new URL(request.url).pathname.endsWith("/auth/me") ? ok(me) : sampled(request);
		});
		const files = saved();
		renderApp([feature], page);
		const place = page.includes("do=") ? await screen.findByRole("dialog", undefined, wait) : document.body;
		await userEvent.setup().click(await within(place).findByRole("button", { name: "Download as CSV" }, wait));
		await waitFor(() => expect(files.get(file)).toContain(column), wait);
		expect(files.get(file)?.trimEnd().split("\r\n")).toHaveLength(3);
	},
	60_000,
);

/** Tables that are no lists: each compares one thing before and after, inside of a question or of one change. */
const comparisons = [
	"features/backup/PreviewStep.tsx",
	"features/change/ConflictTable.tsx",
	"features/change/RowImages.tsx",
];

test("every list of a feature can be had as a file", () => {
	const count = (text: string, pattern: RegExp) => text.match(pattern)?.length ?? 0;
	const without = sources(/\.tsx$/)
		.filter(({ path }) => path.startsWith("features/") && !path.includes(".test."))
		.filter(({ text }) => {
			const own = /<OrderedList\s|\blist=\{\(/.test(text) ? 1 : 0; // in place of ResourceTable, which has the button itself
			return count(text, /<Table\s/g) + own > count(text, /<(TableTools|Csv)\s|\{csv\}/g);
		});
	expect(without.map(({ path }) => path).sort()).toEqual(comparisons);
});

test("the live log is a file of what is on screen", async () => {
	answer(node);
	const files = saved();
	renderApp([firewall], "/live-log");
	const log = () => streams.filter(({ url }) => url.includes("/firewall/log/live")).at(-1);
	await waitFor(() => expect(log()).toBeTruthy(), wait);
	const event = { seq: 1, timestamp: "2026-01-01T00:00:00Z", action: "drop", proto: "tcp", source: "192.0.2.7" };
	act(() => log()?.onmessage?.({ data: JSON.stringify({ events: [event], lost: 0 }) }));
	await screen.findByText(/192\.0\.2\.7/, undefined, wait);
	await userEvent.setup().click(screen.getByRole("button", { name: "Download as CSV" }));
	await waitFor(() => expect(files.get("live-log.csv")).toContain("192.0.2.7"), wait);
}, 60_000);

const entry = (seq: number) =>
	({ id: `e${seq}`, created_at: "2026-02-03T10:00:00Z", actor: "ann", action: "auth.login.failed", seq }) as AuditEntry;

/** A log of so many entries, which is searched page by page. */
const logOf = (many: number) => (request: Request) => {
	const query = new URL(request.url).searchParams;
	const from = Number(query.get("before_seq") ?? many + 1);
	const count = Math.min(Number(query.get("limit")), from - 1);
	return ok(
		Array.from({ length: count }, (_, i) => ({ ...entry(from - 1 - i), subject: "x", detail: {}, node_id: "n" })),
	);
};

test.each([
	["all that fit the filters", 2_345, 2_345, undefined],
	["the newest ones of very many, and it says so", 60_000, 50_000, /newest 50,000/],
])(
	"an export of the audit log has %s",
	async (_, many, want, said) => {
		const seen = answer({ ...node, "GET /audit/search": logOf(many) });
		const files = saved();
		renderApp([audit], "/audit?action=auth.login.failed");
		const button = await screen.findByRole("button", { name: /^Export .*CSV/ }, wait);
		await waitFor(() => expect(button.hasAttribute("disabled")).toBe(false), wait);
		await userEvent.setup().click(button);
		await waitFor(() => expect(files.size).toBe(1), { timeout: 40_000 });
		expect([...files.values()][0]?.trimEnd().split("\r\n").length).toBe(want + 1);
		expect(seen.every(({ url }) => !url.includes("/audit/search") || url.includes("action=auth.login.failed"))).toBe(
			true,
		);
		if (said) expect(await screen.findByText(said, undefined, wait)).toBeTruthy();
	},
	90_000,
);
