import { queryClient, session, setUp } from "@api";
import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeAll, beforeEach, expect, test, vi } from "vitest";
import { feature as account } from "../features/account";
import { feature as signIn } from "../features/sign-in";
import { feature as users } from "../features/users";
import { renderApp } from "../test/render";
import { answer, ok, refusal } from "../test/server";

const health = { version: "1.0.0", hostname: "gw1", os: "", kernel: "", database: true, setup_complete: true };
const ann = { id: "1", email: "ann@example.com", role: "admin", totp_enabled: false, limited: false };
const meta = { revision: 1, created_at: "2026-01-01T00:00:00Z", updated_at: "2026-01-01T00:00:00Z", oidc_subject: "" };
const carl = { ...meta, id: "3", email: "carl@example.com", role: "viewer", active: true, totp_enabled: false };
const token = { id: "t", name: "ci", role: "viewer", created_at: meta.created_at, expires_at: "2030-01-01T00:00:00Z" };
const made = { ...token, last_used_at: null, token: "gwt_secret" };

const words = "this needs your password once more; POST /auth/tickets gives a ticket for it";
const needed = () => refusal(401, { code: "password_required", message: words });
const withTicket = (good: () => Response) => (request: Request) =>
	request.headers.get("Gateway-Ticket") === "t-1" ? good() : needed();

const ended = () => refusal(401, { code: "unauthenticated", message: "not signed in, or the session has ended" });
/** True once the session has ended on the server. */
let over = false;

/** server asks for the password as the real one does. */
const server = () =>
	answer({
		"GET /system/health": () => ok(health),
		"GET /auth/me": () => (over ? ended() : ok(ann)),
		"GET /auth/tokens": () => ok([]),
		"GET /users": () => ok([carl], { "X-Total-Count": "1" }),
		"POST /users": withTicket(() => ok(carl, {}, 201)),
		"POST /auth/tokens": withTicket(() => ok(made, {}, 201)),
		"POST /auth/tickets": async (request) => {
			if (over) return ended();
			return (await request.clone().json()).password === "my own password"
				? ok({ ticket: "t-1", expires_at: meta.created_at })
				: refusal(401, { code: "wrong_password", message: "the current password is wrong" });
		},
	});

const posts = (seen: Request[], path: string) =>
	seen.filter(({ method, url }) => method === "POST" && url.endsWith(`/api/v1${path}`));

beforeAll(async () => {
	setUp();
	await Promise.all([import("@ui/OwnPasswordDialog"), import("../features/account/AccountPage")]);
}, 120_000);
beforeEach(() => {
	queryClient.clear();
	session.over.set(false);
	over = false;
});

const asked = async () =>
	within(await screen.findByRole("dialog", { name: "Confirm with your password" }, { timeout: 30_000 }));

async function fillUser(user: ReturnType<typeof userEvent.setup>) {
	await user.type(await screen.findByRole("textbox", { name: /E-mail/ }, { timeout: 30_000 }), carl.email);
	await user.selectOptions(screen.getByRole("combobox", { name: /Role/ }), "viewer");
	await user.type(screen.getByLabelText(/^Password/), "correct horse battery");
	await user.click(screen.getByRole("button", { name: "Create" }));
}

test("a request that needs the password is repeated with the ticket for it, and a wrong one is said at the field", async () => {
	const seen = server();
	renderApp([users], "/users?do=create");
	const user = userEvent.setup();
	await fillUser(user);
	const dialog = await asked();
	expect(dialog.getByText(/You confirm: Create user \(carl@example\.com\)\./)).toBeTruthy();
	await user.type(dialog.getByLabelText(/^Your password/), "a guess");
	await user.click(dialog.getByRole("button", { name: "Confirm" }));
	expect((await dialog.findAllByText(/This is not your password/)).length).toBeGreaterThan(0);
	expect(posts(seen, "/users")).toHaveLength(1);
	await user.clear(dialog.getByLabelText(/^Your password/));
	await user.type(dialog.getByLabelText(/^Your password/), "my own password");
	await user.click(dialog.getByRole("button", { name: "Confirm" }));
	expect(await screen.findByText(/carl@example.com was/)).toBeTruthy();
	const [first, second] = await Promise.all(posts(seen, "/users").map((request) => request.json()));
	expect(second).toEqual(first);
	const last = posts(seen, "/auth/tickets").at(-1);
	expect(await last?.json()).toEqual({ password: "my own password", operation: "POST /users" });
	expect(session.over.get()).toBe(false);
}, 60_000);

test("whoever does not give it is told, and nothing typed is lost", async () => {
	const seen = server();
	renderApp([users], "/users?do=create");
	const user = userEvent.setup();
	await fillUser(user);
	await user.click((await asked()).getByRole("button", { name: "Cancel" }));
	expect(await screen.findByText(/needs your password/)).toBeTruthy();
	expect((screen.getByRole("textbox", { name: /E-mail/ }) as HTMLInputElement).value).toBe(carl.email);
	expect(posts(seen, "/users")).toHaveLength(1);
	expect(posts(seen, "/auth/tickets")).toHaveLength(0);
}, 60_000);

test("a session that ended under the question makes room for the sign-in, and nothing typed is lost", async () => {
	const seen = server();
	renderApp([users, signIn], "/users?do=create");
	const user = userEvent.setup();
	await fillUser(user);
	const dialog = await asked();
	over = true;
	await user.type(dialog.getByLabelText(/^Your password/), "my own password{Enter}");
	expect(await screen.findByRole("dialog", { name: "Sign in again" }, { timeout: 30_000 })).toBeTruthy();
	expect(screen.queryByRole("dialog", { name: "Confirm with your password" })).toBeNull();
	expect(screen.getByText(/Nothing was changed/)).toBeTruthy();
	expect((document.querySelector("input[name=email]") as HTMLInputElement).value).toBe(carl.email);
	expect(posts(seen, "/users")).toHaveLength(1);
}, 60_000);

test("a token is shown after the password", async () => {
	const seen = server();
	renderApp([account], "/account?tab=tokens&do=create");
	const user = userEvent.setup();
	const form = within(await screen.findByRole("dialog", undefined, { timeout: 30_000 }));
	await user.type(form.getByRole("textbox", { name: /Name/ }), "ci");
	await user.click(form.getByRole("button", { name: "Create API token" }));
	const dialog = await asked();
	expect(dialog.getByText(/You confirm: Create API token \(ci\)\./)).toBeTruthy();
	await user.type(dialog.getByLabelText(/^Your password/), "my own password{Enter}");
	await vi.waitFor(() => expect(document.body.textContent).toContain("gwt_secret"));
	expect(posts(seen, "/auth/tokens")).toHaveLength(2);
}, 60_000);
