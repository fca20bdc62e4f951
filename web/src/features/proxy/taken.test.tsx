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

const user = userEvent.setup();

/** named answers as a list does that is asked for one name. */
const named =
	(rows: { id: string; name: string; www_redirect?: string }[]) =>
	({ url }: Request) => {
		const filter = new URL(url).searchParams.get("filter");
		return ok(filter ? rows.filter(({ name }) => filter === `name:${name}`) : rows);
	};

const domains = [
	{ id: "d1", name: "shop.example.com", www_redirect: "off" },
	{ id: "d2", name: "example.com", www_redirect: "to_www" },
	{ id: "d3", name: "xn--bcher-kva.example", www_redirect: "off" },
];

const taking = {
	...published,
	"GET /domains": named(domains),
	"GET /backends": named([{ id: "p9", name: "web.example.com" }]),
};

const next = () => user.click(screen.getByRole("button", { name: "Next" }));
const box = (name: RegExp) => screen.findByRole<HTMLInputElement>("textbox", { name });

async function enter(field: RegExp, text: string) {
	await user.clear(await box(field));
	await user.paste(text);
}

test.each([
	[
		"https://Shop.example.com/cart",
		"This gateway already has the domain shop.example.com.",
		"Open shop.example.com",
		"d1",
	],
	["www.example.com", "The domain example.com redirects www.example.com already.", "Open example.com", "d2"],
	["bücher.example", /already has the domain bücher\.example/, "Open xn--bcher-kva.example", "d3"],
])(
	"%s is refused at the first step, with the way to the domain that has it",
	async (typed, said, link, id) => {
		answer(taking);
		renderApp([feature], "/proxy/publish");
		await enter(/^Name/, typed);
		await screen.findByText(said);
		expect(screen.getByRole("link", { name: link }).getAttribute("href")).toBe(`/proxy/sites/${id}`);
		await next();
		await screen.findByText(/^Enter another name, or change the domain/);
		expect((await box(/^Name/)).getAttribute("aria-invalid")).toBe("true");
		await enter(/^Name/, "new.example.com");
		await next();
		await box(/^Address/);
	},
	20_000,
);

test("who goes on at once is asked for all that", async () => {
	answer(taking);
	renderApp([feature], "/proxy/publish");
	await enter(/^Name/, "shop.example.com");
	await user.keyboard("{Enter}");
	await screen.findByText(/^Enter another name, or change the domain/);
});

test("a new backend is not called like another one", async () => {
	answer(taking);
	renderApp([feature], "/proxy/publish");
	await enter(/^Name/, "web.example.com");
	await next();
	await enter(/^Address/, "192.0.2.40");
	await screen.findByText("There is already a backend web.example.com.");
	expect(screen.getByRole("link", { name: "Open web.example.com" }).getAttribute("href")).toBe("/proxy/pools/p9");
	await next();
	await screen.findByText(/^Enter another name, or choose the existing backend/);
	await enter(/^Backend name/, "web 2");
	await waitFor(() => expect(screen.queryByText(/There is already a backend/)).toBeNull());
	await next();
	await screen.findByRole("radio", { name: /Self-signed/ });
}, 20_000);

test.each([
	["refuses the question", () => refusal(400, { code: "invalid" })],
	["has no database", () => refusal(503, { code: "unavailable" })],
	["never answers", ({ signal }: Request) => new Promise<Response>((_, no) => signal.addEventListener("abort", no))],
])(
	"an API that %s keeps nobody from going on",
	async (_, silent) => {
		answer({ ...taking, "GET /domains": silent });
		renderApp([feature], "/proxy/publish");
		await enter(/^Name/, "shop.example.com");
		await next();
		await screen.findByRole("textbox", { name: /^Address/ }, { timeout: 6_000 });
	},
	20_000,
);
