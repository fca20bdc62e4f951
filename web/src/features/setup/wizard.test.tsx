import { queryClient, session, setUp } from "@api";
import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { renderApp } from "../../test/render";
import { answer, ok, refusal } from "../../test/server";
import { feature } from ".";

const health = { version: "1.0.0", hostname: "gw1.example.com", os: "", kernel: "", database: true };
const common = {
	"GET /system/health": () => ok({ ...health, setup_complete: false }),
	"GET /auth/me": () => refusal(401, { code: "unauthenticated" }),
};
const warning = /Nobody can sign in without an administrator/;

beforeAll(setUp);
beforeEach(() => {
	queryClient.clear();
	session.over.set(false);
});

/** toAdmin goes through the wizard to the account, without certificates. */
async function toAdmin(user: ReturnType<typeof userEvent.setup>) {
	const next = () => user.click(screen.getByRole("button", { name: "Next" }));
	await user.type(await screen.findByRole("textbox", { name: /Setup code/ }), "4vckmrw8035x");
	await next();
	await screen.findByRole("heading", { name: "Name this gateway" });
	await next();
	await user.click(await screen.findByRole("button", { name: "Skip for now" }));
	await screen.findByRole("heading", { name: "Create the first administrator" });
}

const sent = (seen: Request[]) => seen.filter((request) => request.method === "POST");

test("a node without an administrator says who can sign in before the button, and after", async () => {
	const seen = answer({ ...common, "POST /setup/complete-node": () => ok({ complete: true }) });
	renderApp([feature], "/setup");
	const user = userEvent.setup();
	await toAdmin(user);
	await user.click(screen.getByRole("button", { name: "Set up without an administrator" }));
	expect(await screen.findByText(warning)).toBeTruthy();
	await user.click(screen.getByRole("button", { name: "Continue without an administrator" }));
	await screen.findByRole("heading", { name: "Review your settings" });
	expect(screen.getByText(warning)).toBeTruthy();
	expect(sent(seen)).toEqual([]);
	await user.click(screen.getByRole("button", { name: "Finish without an administrator" }));
	await screen.findByRole("heading", { name: "This node is set up without an administrator" });
	expect(screen.getByText(warning)).toBeTruthy();
	const [request, ...more] = sent(seen);
	expect(more).toEqual([]);
	expect(await request?.json()).toEqual({ code: "4VCK-MRW8-035X", fqdn: "gw1.example.com" });
});

test("an account that is filled in after all is created", async () => {
	const seen = answer({
		...common,
		"POST /setup/complete": () => ok({ complete: true }),
		"POST /auth/login": () => refusal(401, { code: "wrong_credentials" }),
	});
	renderApp([feature], "/setup");
	const user = userEvent.setup();
	await toAdmin(user);
	await user.click(screen.getByRole("button", { name: "Set up without an administrator" }));
	await user.click(screen.getByRole("button", { name: "Continue without an administrator" }));
	await user.click(await screen.findByRole("button", { name: "Back" }));
	await user.type(await screen.findByRole("textbox", { name: /E-mail/ }), "ann@example.com");
	await user.type(screen.getByLabelText(/^Password/), "correct horse battery");
	await user.type(screen.getByLabelText(/^Repeat the password/), "correct horse battery");
	await user.click(screen.getByRole("button", { name: "Next" }));
	await user.click(await screen.findByRole("button", { name: "Finish setup" }));
	expect(await screen.findByText(/Sign in with the new account/)).toBeTruthy();
	expect(sent(seen)[0]?.url).toMatch(/\/setup\/complete$/);
	expect(await sent(seen)[0]?.json()).toMatchObject({ email: "ann@example.com" });
});
