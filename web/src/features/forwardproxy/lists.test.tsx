import { queryClient, session, setUp } from "@api";
import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { renderApp } from "../../test/render";
import { answer, listed, ok } from "../../test/server";
import { feature } from ".";
import { answers } from "./fixture";

const common = listed(answers);

beforeAll(async () => {
	setUp();
	await Promise.all([import("./ForwardProxyPage"), import("./NamesDialog"), import("./ReplaceDialog")]);
}, 60_000);
beforeEach(() => {
	queryClient.clear();
	session.over.set(false);
});

const wait = { timeout: 15_000 };
const sent = (seen: Request[], method: string) =>
	seen.filter((request) => request.method === method && new URL(request.url).pathname.endsWith("/lists/l1/names"));
const came = () => ok({ size: 1235, added: 2, removed: 0 }, { "Gateway-Change": "c1" });

test("a list says how many names it has", async () => {
	answer(common);
	renderApp([feature], "/forward-proxy?tab=lists");
	expect(await screen.findByText("ads", undefined, wait)).toBeTruthy();
	expect(screen.getByText("1,234")).toBeTruthy();
}, 30_000);

test("names are added to a list, one per line", async () => {
	const seen = answer({ ...common, "POST /forward-proxy/lists/l1/names": came });
	renderApp([feature], "/forward-proxy?tab=lists&do=names&id=l1");
	const user = userEvent.setup();
	await user.type(await screen.findByRole("textbox", { name: /Add/ }, wait), "a.example.com{Enter}b.example.com");
	await user.click(screen.getByRole("button", { name: "Change names" }));
	await waitFor(() => expect(sent(seen, "POST")).toHaveLength(1), wait);
	expect(await sent(seen, "POST")[0]!.json()).toMatchObject({ add: ["a.example.com", "b.example.com"] });
	expect(await screen.findByText("ads: 2 names added, 0 removed", undefined, wait)).toBeTruthy();
}, 40_000);

test("all names come from a file or from the clipboard", async () => {
	const seen = answer({ ...common, "PUT /forward-proxy/lists/l1/names": came });
	renderApp([feature], "/forward-proxy?tab=lists&do=replace&id=l1");
	const user = userEvent.setup();
	const paste = await screen.findByRole("textbox", { name: "Or paste the names" }, wait);
	expect(screen.getByRole<HTMLButtonElement>("button", { name: "Replace names" }).disabled).toBe(true);
	await user.click(paste);
	await user.paste("x.example.com\ny.example.com");
	await user.click(screen.getByRole("button", { name: "Replace names" }));
	await waitFor(() => expect(sent(seen, "PUT")).toHaveLength(1), wait);
	expect(await sent(seen, "PUT")[0]!.json()).toEqual({ names: "x.example.com\ny.example.com" });
}, 40_000);

test("a file that was chosen is sent as it is", async () => {
	const seen = answer({ ...common, "PUT /forward-proxy/lists/l1/names": came });
	renderApp([feature], "/forward-proxy?tab=lists&do=replace&id=l1");
	const user = userEvent.setup();
	await user.upload(await screen.findByLabelText("File", undefined, wait), new File(["z.example.com\n"], "list.txt"));
	await user.click(screen.getByRole("button", { name: "Replace names" }));
	await waitFor(() => expect(sent(seen, "PUT")).toHaveLength(1), wait);
	expect(await sent(seen, "PUT")[0]!.json()).toEqual({ names: "z.example.com\n" });
}, 40_000);
