import { connection, queryClient, session, setUp } from "@api";
import { screen, waitFor } from "@testing-library/react";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { feature as users } from "../features/users";
import { ann } from "../test/published";
import { renderApp } from "../test/render";
import { answer, listed, ok } from "../test/server";

beforeAll(setUp);
beforeEach(() => {
	queryClient.clear();
	session.over.set(false);
	connection.begin();
});

test("before the server has said what is wrong there is no number", async () => {
	let say = (_: Response) => {};
	const said = new Promise<Response>((resolve) => (say = resolve));
	answer({
		...listed({ "GET /auth/me": ann, "GET /users": [] }),
		"GET /system/health": () =>
			ok({ version: "1.0.0", hostname: "gw1", os: "", kernel: "", database: true, setup_complete: true }),
		"GET /problems": () => said,
	});
	const own = { ...users, useProblems: () => [{ id: "own", severity: "warning" as const, title: "Of this browser" }] };
	renderApp([own], "/users");
	await screen.findByRole("button", { name: "Checking for problems" }, { timeout: 20_000 });
	expect(document.querySelector(".gw-problems-button .gw-count")).toBeNull();
	say(ok({ version: "1", problems: [], unknown: [], counts: {} }));
	await waitFor(() => expect(document.querySelector(".gw-problems-button .gw-count")?.textContent).toBe("1"));
	expect(screen.getByRole("button", { name: "1 problem" })).toBeTruthy();
}, 60_000);
