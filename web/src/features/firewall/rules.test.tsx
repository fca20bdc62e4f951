import { queryClient, session, setUp } from "@api";
import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { renderApp } from "../../test/render";
import { answer, listed, ok, refusal } from "../../test/server";
import { feature } from ".";
import { ann, answers, printers, rules } from "./fixture";

const common = listed(answers);

beforeAll(async () => {
	setUp();
	// Loading them is not what is looked at.
	await Promise.all([import("./RulesTab"), import("@ui/ResourceForm"), import("./ruleForm")]);
}, 60_000);
beforeEach(() => {
	queryClient.clear();
	session.over.set(false);
});

const sent = (seen: Request[], method: string, end: string) =>
	seen.filter((request) => request.method === method && new URL(request.url).pathname.endsWith(end));

const wait = { timeout: 15_000 };

test("rules say where from, where to, how often, and what is odd about them", async () => {
	answer(common);
	renderApp([feature], "/firewall");
	const list = await screen.findByRole("list", { name: "Rules" }, wait);
	const [web, mail, old] = within(list).getAllByRole("listitem");
	expect(await within(web!).findByText("printers")).toBeTruthy();
	expect(within(web!).getByText("HTTPS")).toBeTruthy();
	expect(await within(web!).findByText("1,200 packets")).toBeTruthy();
	expect(await within(mail!).findByText("Shadowed by Web (same action)")).toBeTruthy();
	expect(within(old!).getByText("Expired")).toBeTruthy();
}, 30_000);

test("rules are moved by the keyboard and saved as one order of all", async () => {
	const seen = answer({ ...common, "POST /firewall/rules/order": () => ok(null) });
	renderApp([feature], "/firewall");
	const user = userEvent.setup();
	(await screen.findByRole("button", { name: "Move Mail up" }, wait)).focus();
	await user.keyboard("{Enter}");
	const items = within(screen.getByRole("list", { name: "Rules" })).getAllByRole("listitem");
	expect(items.map((item) => item.querySelector(".gw-ordered-title")?.textContent)).toEqual(["Mail", "Web", "Old"]);
	await user.click(screen.getByRole("button", { name: "Save order" }));
	await waitFor(() => expect(sent(seen, "POST", "/order")).toHaveLength(1), wait);
	expect(await sent(seen, "POST", "/order")[0]!.json()).toEqual({ rules: ["r2", "r1", "r3"] });
	await waitFor(() => expect(screen.queryByRole("button", { name: "Save order" })).toBeNull(), wait);
}, 30_000);

test("a change that would cut off whoever makes it is refused, and can be tried with a way back", async () => {
	let asked = 0;
	const words = "you would lose access: a new connection would not reach the gateway";
	const seen = answer({
		...common,
		"PUT /firewall/rules/r2": () => {
			asked++;
			if (asked === 1) return refusal(409, { code: "would_lock_out", message: words });
			return ok({ ...rules[1], revision: 4 }, { "Gateway-Change": "c1", "Gateway-Apply": "live" });
		},
	});
	renderApp([feature], "/firewall?do=edit&id=r2");
	const user = userEvent.setup();
	await user.type(await screen.findByRole("textbox", { name: /Name/ }, wait), "s");
	await user.click(screen.getByRole("button", { name: "Save" }));
	const dialog = await screen.findByRole("dialog", { name: /You would lose access/ }, wait);
	expect(within(dialog).getByText(/a new connection would not reach the gateway/)).toBeTruthy();
	await user.click(within(dialog).getByRole("button", { name: "Save with automatic revert (60 s)" }));
	await waitFor(() => expect(sent(seen, "PUT", "/r2")).toHaveLength(2), wait);
	const [first, second] = sent(seen, "PUT", "/r2");
	expect(first?.headers.get("Gateway-Confirm-Within")).toBeNull();
	expect(second?.headers.get("Gateway-Confirm-Within")).toBe("60");
	expect(await second?.json()).toMatchObject({ name: "Mails", priority: 10, note: "", labels: [] });
}, 30_000);

test("a broken assertion stands in the form with the server's words", async () => {
	const message = 'this violates the assertion "guests": rule "Mail" lets it through';
	answer({ ...common, "PUT /firewall/rules/r2": () => refusal(409, { code: "assertion_broken", message }) });
	renderApp([feature], "/firewall?do=edit&id=r2");
	const user = userEvent.setup();
	await user.type(await screen.findByRole("textbox", { name: /Name/ }, wait), "s");
	await user.click(screen.getByRole("button", { name: "Save" }));
	expect(await screen.findByText(/This violates the assertion "guests"/, undefined, wait)).toBeTruthy();
}, 30_000);

test("a rule that begins with a packet has its addresses, and says what it will do", async () => {
	answer({ ...common, "GET /firewall/service-groups": () => ok([]) });
	const start = {
		name: "x",
		action: "drop",
		src_zone: "lan",
		dst_zone: "wan",
		source: "192.0.2.7",
		service: "tcp/443",
	};
	renderApp([feature], `/firewall?do=create&id=${encodeURIComponent(JSON.stringify(start))}`);
	const source = (await screen.findByRole("combobox", { name: /Source addresses/ }, wait)) as HTMLInputElement;
	expect(source.value).toBe("192.0.2.7");
	expect(await screen.findByText("Drop HTTPS (tcp/443) from lan (192.0.2.7) to wan.", undefined, wait)).toBeTruthy();
}, 30_000);

const typed = (more: object) => `/firewall?do=create&id=${encodeURIComponent(JSON.stringify({ name: "x", ...more }))}`;

test("a new rule asks for its zones and its action", async () => {
	const seen = answer(common);
	renderApp([feature], typed({}));
	const user = userEvent.setup();
	await user.click(await screen.findByRole("button", { name: "Create" }, wait));
	await waitFor(() => expect(screen.getByRole("combobox", { name: /Source zone/ }).closest("form")).toBeTruthy(), wait);
	for (const name of [/Action/, /Source zone/, /Destination zone/]) {
		const input = screen.getByRole("combobox", { name }) as HTMLSelectElement;
		await waitFor(() => expect(input.getAttribute("aria-invalid")).toBe("true"), wait);
	}
	expect(sent(seen, "POST", "/rules")).toHaveLength(0);
}, 30_000);

test("what is typed and not there yet is made with the rule, as one change", async () => {
	const none = () => ok([]);
	const seen = answer({
		...common,
		"GET /firewall/address-groups": none,
		"GET /firewall/service-groups": none,
		"POST /batch": () => ok({ results: [{ id: "s" }, { id: "g" }, rules[0]] }, { "Gateway-Change": "c1" }),
	});
	const start = { action: "accept", src_zone: "lan", dst_zone: "wan", source: "10.0.0.9/8", service: "tcp/8443, 443" };
	renderApp([feature], typed(start));
	await userEvent.setup().click(await screen.findByRole("button", { name: "Create" }, wait));
	await waitFor(() => expect(sent(seen, "POST", "/batch")).toHaveLength(1), wait);
	const { operations } = (await sent(seen, "POST", "/batch")[0]!.json()) as { operations: Record<string, unknown>[] };
	expect(operations.map(({ path }) => path)).toEqual([
		"/firewall/services",
		"/firewall/service-groups",
		"/firewall/rules",
	]);
	expect(operations[0]?.body).toEqual({ name: "tcp/8443", protocol: "tcp", port: 8443 });
	expect(operations[1]?.body).toEqual({ name: "tcp/443, tcp/8443", members: [operations[0]?.id, "s1"] });
	expect(operations[2]?.body).toMatchObject({
		src_kind: "cidr",
		src_cidr: "10.0.0.0/8",
		dst_kind: "any",
		service_group_id: operations[1]?.id,
	});
}, 30_000);

test("accepting everything is asked for twice", async () => {
	const seen = answer({ ...common, "POST /firewall/rules": () => ok(rules[0], { "Gateway-Change": "c1" }, 201) });
	renderApp([feature], typed({ action: "accept", src_zone: "any", dst_zone: "any" }));
	const user = userEvent.setup();
	const create = await screen.findByRole("button", { name: "Create" }, wait);
	await user.click(create);
	const sure = await screen.findByRole("switch", { name: /Accept any source to any destination/ }, wait);
	expect(sent(seen, "POST", "/rules")).toHaveLength(0);
	await user.click(sure);
	await user.click(create);
	await waitFor(() => expect(sent(seen, "POST", "/rules")).toHaveLength(1), wait);
	expect(await sent(seen, "POST", "/rules")[0]!.json()).not.toHaveProperty("sure");
}, 30_000);

test("a name for every address is asked for twice as well", async () => {
	const all = { ...printers, id: "a9", name: "internet", kind: "network", value: "0.0.0.0/0" };
	const seen = answer({
		...common,
		"GET /firewall/address-objects": () => ok([all], { "X-Total-Count": "1" }),
		"GET /firewall/address-groups": () => ok([]),
		"POST /firewall/rules": () => ok(rules[0], { "Gateway-Change": "c1" }, 201),
	});
	renderApp([feature], typed({ action: "accept", src_zone: "any", dst_zone: "any", source: "internet" }));
	const user = userEvent.setup();
	await user.click(await screen.findByRole("button", { name: "Create" }, wait));
	await user.click(await screen.findByRole("switch", { name: /Accept any source to any destination/ }, wait));
	expect(sent(seen, "POST", "/rules")).toHaveLength(0);
	await user.click(screen.getByRole("button", { name: "Create" }));
	await waitFor(() => expect(sent(seen, "POST", "/rules")).toHaveLength(1), wait);
}, 30_000);

test("an entry that nobody knows is told at its field", async () => {
	const none = () => ok([]);
	answer({ ...common, "GET /firewall/address-groups": none });
	renderApp([feature], typed({ action: "drop", src_zone: "lan", dst_zone: "wan", source: "nobody" }));
	await userEvent.setup().click(await screen.findByRole("button", { name: "Create" }, wait));
	expect((await screen.findAllByText(/“nobody” is neither/, undefined, wait)).length).toBeGreaterThan(0);
}, 30_000);

test("a viewer sees the rules and no way to change them", async () => {
	answer({ ...common, "GET /auth/me": () => ok({ ...ann, role: "viewer" }) });
	renderApp([feature], "/firewall");
	await screen.findByRole("list", { name: "Rules" }, wait);
	expect(screen.queryByRole("button", { name: /Create|Move|Actions|Explain/ })).toBeNull();
}, 30_000);
