import { queryClient, session, setUp } from "@api";
import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { renderApp } from "../../test/render";
import { answer, ok, refusal } from "../../test/server";
import { feature } from ".";

const health = { version: "1.0.0", hostname: "gw1", os: "", kernel: "", database: true, setup_complete: true };
const ann = { id: "1", email: "ann@example.com", role: "admin", totp_enabled: false, limited: false };
const meta = { revision: 3, created_at: "2026-01-01T00:00:00Z", updated_at: "2026-01-01T00:00:00Z", oidc_subject: "" };
const bob = { ...meta, id: "2", email: "bob@example.com", role: "viewer", active: true, totp_enabled: false };

const common = {
	"GET /system/health": () => ok(health),
	"GET /auth/me": () => ok(ann),
	"GET /users": () => ok([{ ...bob, ...ann }, bob], { "X-Total-Count": "2" }),
	"GET /users/2": () => ok(bob),
};

beforeAll(setUp);
beforeEach(() => {
	queryClient.clear();
	session.over.set(false);
});

const queries = (seen: Request[]) =>
	seen
		.map((request) => new URL(request.url))
		.filter((url) => url.pathname.endsWith("/users"))
		.map((url) => url.search);

test("search and sort stand in the URL and go to the server", async () => {
	const seen = answer(common);
	const { history } = renderApp([feature], "/users?q=bob");
	await screen.findByText("bob@example.com");
	expect(queries(seen)).toEqual(["?q=bob&sort=email&limit=100&offset=0"]);
	const user = userEvent.setup();
	await user.click(screen.getByRole("button", { name: "Created" }));
	await waitFor(() => expect(history.location.search).toBe("?q=bob&sort=created_at"));
	await waitFor(() => expect(queries(seen).at(-1)).toContain("sort=created_at"));
	expect(screen.getByText("2 entries")).toBeTruthy();
});

test("an input left empty is a mistake only when the form is sent", async () => {
	answer(common);
	renderApp([feature], "/users?do=create");
	const user = userEvent.setup();
	await user.click(await screen.findByRole("textbox", { name: /E-mail/ }));
	await user.tab();
	await user.tab();
	expect(screen.queryByText("Required.")).toBeNull();
	await user.click(screen.getByRole("button", { name: "Create" }));
	expect((await screen.findAllByText("Required.")).length).toBeGreaterThan(0);
});

test("what the server refuses stands at its field, and nothing typed is lost", async () => {
	const fields = [{ field: "email", message: "must be an e-mail address" }];
	answer({ ...common, "POST /users": () => refusal(400, { code: "invalid", fields }) });
	renderApp([feature], "/users?do=create");
	const user = userEvent.setup();
	const email = await screen.findByRole("textbox", { name: /E-mail/ });
	await user.type(email, "nonsense");
	await user.selectOptions(screen.getByRole("combobox", { name: /Role/ }), "viewer");
	await user.type(screen.getByLabelText(/^Password/), "correct horse battery");
	await user.click(screen.getByRole("button", { name: "Create" }));
	expect(await screen.findByText("Must be an e-mail address.")).toBeTruthy();
	expect(email.getAttribute("aria-invalid")).toBe("true");
	expect((email as HTMLInputElement).value).toBe("nonsense");
});

test("a row that somebody else changed is shown in both versions, and can be overwritten", async () => {
	const theirs = { ...bob, revision: 4, role: "admin" };
	let tries = 0;
	const seen = answer({
		...common,
		"PUT /users/2": () => (tries++ === 0 ? refusal(412, { code: "precondition_failed", current: theirs }) : ok(theirs)),
	});
	renderApp([feature], "/users?do=edit&id=2");
	const user = userEvent.setup();
	const email = await screen.findByRole("textbox", { name: /E-mail/ });
	await user.clear(email);
	await user.type(email, "robert@example.com");
	await user.click(screen.getByRole("button", { name: "Save" }));
	const dialog = await screen.findByRole("dialog", { name: /Someone else changed this/ });
	expect(within(dialog).getByText("Administrator")).toBeTruthy();
	await user.click(within(dialog).getByRole("button", { name: "Overwrite with mine" }));
	expect(await screen.findByText("bob@example.com was saved")).toBeTruthy();
	const versions = seen.filter((request) => request.method === "PUT").map((request) => request.headers.get("If-Match"));
	expect(versions).toEqual(['"3"', '"4"']);
});

test("what is discarded is not saved", async () => {
	const seen = answer({ ...common, "PUT /users/2": () => ok(bob) });
	renderApp([feature], "/users?do=edit&id=2");
	const user = userEvent.setup();
	await user.type(await screen.findByRole("textbox", { name: /E-mail/ }), ".org");
	await user.keyboard("{Escape}");
	await user.click(await screen.findByRole("button", { name: "Discard" }));
	await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
	expect(seen.filter(({ method }) => method === "PUT")).toEqual([]);
});

test("a viewer finds nothing to change", async () => {
	answer({ ...common, "GET /auth/me": () => ok({ ...ann, role: "viewer" }) });
	renderApp([feature], "/users?do=create");
	await screen.findByText("bob@example.com");
	expect(screen.queryByRole("button", { name: /Create user|Actions for/ })).toBeNull();
	expect(screen.queryByRole("dialog")).toBeNull();
});

test("a click anywhere on a row opens it, and the keyboard finds the same in its menu", async () => {
	answer(common);
	const { history } = renderApp([feature], "/users");
	const user = userEvent.setup();
	const row = (await screen.findByText("bob@example.com")).closest("tr");
	await user.click(row?.querySelectorAll("td")[2] as HTMLElement);
	await waitFor(() => expect(history.location.search).toBe("?do=edit&id=2"));
	expect(await screen.findByRole("dialog")).toBeTruthy();
});
