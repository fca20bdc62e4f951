import { queryClient, session, setUp } from "@api";
import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { published } from "../../test/published";
import { renderApp } from "../../test/render";
import { answer, ok, refusal } from "../../test/server";
import { feature } from ".";

beforeAll(setUp);
beforeEach(() => {
	queryClient.clear();
	session.over.set(false);
});

const posts = (seen: Request[], end: string) =>
	seen.filter((request) => request.method === "POST" && request.url.endsWith(end));

/** fillIn goes through the wizard to its summary. */
async function fillIn(user: ReturnType<typeof userEvent.setup>) {
	const next = () => user.click(screen.getByRole("button", { name: "Next" }));
	await user.type(await screen.findByRole("textbox", { name: /Name/ }), "https://Shop.example.com/cart");
	expect(screen.getByText("192.0.2.1")).toBeTruthy();
	await next();
	await user.type(await screen.findByRole("textbox", { name: /Address/ }), "192.0.2.40");
	await next();
	await next();
	expect(await screen.findByText("Agree to the terms, or choose another certificate.")).toBeTruthy();
	await user.click(screen.getByRole("radio", { name: /Self-signed/ }));
	await next();
	await screen.findByText("http://192.0.2.40:80");
}

test("the wizard makes one change of all its answers, and says what came of it", async () => {
	const live = { "Gateway-Change": "c1", "Gateway-Apply": "live" };
	const seen = answer({ ...published, "POST /batch": () => ok({ results: [] }, live) });
	renderApp([feature], "/proxy/publish");
	const user = userEvent.setup();
	await fillIn(user);
	await user.click(screen.getByRole("button", { name: "Publish" }));
	expect(await screen.findByRole("heading", { name: /shop\.example\.com is published/ })).toBeTruthy();
	const sent = posts(seen, "/batch");
	expect(sent).toHaveLength(1);
	const { operations } = (await sent[0]!.json()) as { operations: { path: string; id: string; body: object }[] };
	expect(operations.map((one) => one.path)).toEqual(["/backends", "/backend-servers", "/domains", "/certificates"]);
	expect(operations[2]?.body).toEqual({ name: "shop.example.com", backend_id: operations[0]?.id });
}, 20_000);

test("a server that does not answer is told at the review and at the end", async () => {
	const refused = { address: "192.0.2.40", port: 80, code: "refused", status: 0, milliseconds: 1 };
	answer({
		...published,
		"POST /proxy/reach": () => ok({ servers: [refused] }),
		"POST /batch": () => ok({ results: [] }, { "Gateway-Change": "c1", "Gateway-Apply": "live" }),
	});
	renderApp([feature], "/proxy/publish");
	const user = userEvent.setup();
	await fillIn(user);
	expect(screen.getByRole("heading", { name: "Review" })).toBeTruthy();
	expect(screen.queryByText("Summary")).toBeNull();
	expect(await screen.findByText(/Connection refused/)).toBeTruthy();
	await user.click(screen.getByRole("button", { name: "Publish" }));
	const name = "shop.example.com is published, but its server does not answer";
	expect(await screen.findByRole("heading", { name })).toBeTruthy();
	expect(await screen.findByText(/Connection refused/)).toBeTruthy();
}, 60_000);

test("the wizard says where the name leads and how the server answers, and waits for neither", async () => {
	const names: Record<string, object> = {
		"a.example.com": { code: "elsewhere", addresses: ["198.51.100.7"], elsewhere: ["198.51.100.7"] },
		"b.example.com": { code: "here", addresses: ["192.0.2.1"], elsewhere: [] },
	};
	let release: (() => void) | undefined;
	const seen = answer({
		...published,
		"POST /proxy/reach": async (request) => {
			const { domain = "", servers = [] } = (await request.json()) as {
				domain?: string;
				servers?: { address: string; port: number }[];
			};
			if (domain === "slow.example.com") await new Promise<void>((go) => (release = go));
			const name = names[domain] ?? { code: "unresolved", addresses: [], elsewhere: [] };
			const refused = (one: { port: number }) => one.port === 81;
			const results = servers.map((one) => ({
				...one,
				code: refused(one) ? "refused" : "answers",
				status: refused(one) ? 0 : 200,
				milliseconds: 12,
			}));
			return ok({ name, servers: results });
		},
	});
	renderApp([feature], "/proxy/publish");
	const user = userEvent.setup();
	const enter = async (name: string, text: string) => {
		await user.clear(await screen.findByRole("textbox", { name: new RegExp(`^${name}`) }));
		await user.paste(text);
	};
	await enter("Name", "slow.example.com");
	await user.tab(); // asks without waiting for a pause
	await screen.findByText("Testing…");
	await waitFor(() => expect(release).toBeTruthy());
	await enter("Name", "https://A.example.com/");
	await screen.findByText("Resolves to 198.51.100.7, which is not this gateway");
	release?.(); // the answer to what was there before
	await enter("Name", "b.example.com");
	await screen.findByText("Resolves to this gateway");
	expect(screen.queryByText(/Does not resolve/)).toBeNull();
	await enter("Name", "no name");
	await waitFor(() => expect(screen.queryByText("Resolves to this gateway")).toBeNull());
	expect(posts(seen, "/proxy/reach")).toHaveLength(3);
	await enter("Name", "b.example.com");
	await user.click(screen.getByRole("button", { name: "Next" }));
	await enter("Address", "192.0.2.40");
	await screen.findByText("Answers (HTTP 200, 12 ms)");
	await user.clear(screen.getByRole("spinbutton", { name: /Port/ }));
	await user.paste("81");
	await user.tab();
	await screen.findByText(/Connection refused/);
	await user.click(screen.getByRole("button", { name: "Next" }));
	await screen.findByRole("radio", { name: /Self-signed/ }); // what does not answer keeps nobody
}, 60_000);

test("an authority whose settings cannot be loaded is asked for once more, and another one is named with its terms", async () => {
	let stored = () => refusal(500, { code: "internal" });
	const seen = answer({
		...published,
		"GET /system/acme": () => stored(),
		"PUT /system/acme": () => ok({}),
		"POST /batch": () => ok({ results: [] }),
	});
	renderApp([feature], "/proxy/publish");
	const user = userEvent.setup();
	const next = () => user.click(screen.getByRole("button", { name: "Next" }));
	const enter = async (name: string, text: string) => {
		await user.clear(await screen.findByRole("textbox", { name: new RegExp(`^${name}`) }));
		await user.paste(text);
	};
	await enter("Name", "shop.example.com");
	await next();
	await enter("Address", "192.0.2.40");
	await next();
	await screen.findByText(/settings could not be loaded/, undefined, { timeout: 5_000 });
	stored = () => ok({ email: "a@b.c", directory_url: "", terms_agreed: false });
	await user.click(screen.getByRole("button", { name: "Try again" }));
	await waitFor(() => expect(screen.queryByText(/settings could not be loaded/)).toBeNull());
	await user.click(screen.getByRole("button", { name: "Use another certificate authority" }));
	await enter("ACME directory URL", "ca.example.com");
	await user.click(screen.getByRole("checkbox", { name: /I agree/ }));
	await next();
	await screen.findByText("Enter a URL that starts with https://.");
	await enter("ACME directory URL", "https://ca.example.com/dir");
	await next();
	await screen.findByText("ca.example.com (ACME), renewed automatically");
	await user.click(screen.getByRole("button", { name: "Publish" }));
	await screen.findByRole("heading", { name: /shop\.example\.com is published/ });
	const put = seen.find((request) => request.method === "PUT");
	expect(await put?.json()).toEqual({
		email: "a@b.c",
		directory_url: "https://ca.example.com/dir",
		terms_agreed: true,
	});
});

test("what the server refuses stands at the step that asked for it, and nothing typed is lost", async () => {
	const fields = [{ field: "operations[1].body.address", message: "must be a single host address" }];
	answer({ ...published, "POST /batch": () => refusal(400, { code: "invalid", fields }) });
	renderApp([feature], "/proxy/publish");
	const user = userEvent.setup();
	await fillIn(user);
	await user.click(screen.getByRole("button", { name: "Publish" }));
	expect(await screen.findByText("Must be a single host address.")).toBeTruthy();
	expect((screen.getByRole("textbox", { name: /Address/ }) as HTMLInputElement).value).toBe("192.0.2.40");
}, 20_000);

// shows UI-08*
