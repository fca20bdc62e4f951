import { ApiError, connection, queryClient, session, setUp } from "@api";
import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { renderApp } from "../../test/render";
import { answer, listed, ok, refusal } from "../../test/server";
import { feature } from ".";
import { all, backup, none, preview, restoring, waiting } from "./fixture";
import { sentOf, startOf, twiceIn } from "./links";
import { sightOf, silence, stageOf } from "./sight";

beforeAll(async () => {
	setUp();
	await Promise.all([
		import("./BackupsPage"),
		import("./SettingsTab"),
		import("./WizardPage"),
		import("./ProgressPage"),
		import("./RestoreBar"),
	]);
}, 120_000);
beforeEach(() => {
	queryClient.clear();
	session.over.set(false);
	connection.begin();
});
afterEach(() => {
	vi.restoreAllMocks();
	connection.begin();
});

test("the wizard shows what differs, maps interfaces, says what happens, and only then restores", async () => {
	const seen = answer({
		...listed(all("admin", [backup()])),
		"GET /backups/b1/preview": () => ok(preview),
		"POST /backups/b1/restore": () => ok(restoring(0), {}, 202),
	});
	const { router } = renderApp([feature], "/backups/b1/restore");
	const user = userEvent.setup();
	await screen.findByText("domains", undefined, { timeout: 30_000 });
	const row = screen.getByRole("row", { name: /domains/ });
	expect(
		within(row)
			.getAllByRole("cell")
			.map((cell) => cell.textContent),
	).toEqual(["domains", "4", "6", "3", "1", "2"]);
	const counted = within(screen.getByRole("row", { name: /alerts/ })).getAllByRole("cell");
	expect(counted.map((cell) => cell.textContent)).toEqual(["alerts", "36", "35", "–", "–", "–"]);
	expect(screen.getByText(/not compared/)).toBeTruthy();
	expect(screen.getByText("old-gw (another gateway)")).toBeTruthy();
	expect(screen.getByText("The backup is of an older version.")).toBeTruthy();
	expect(screen.getByText("setup.json")).toBeTruthy();
	expect(screen.getByText("eve@example.com: disabled → administrator")).toBeTruthy();
	expect(screen.getByText("mallory@example.com: no account → viewer")).toBeTruthy();
	expect(
		screen.getByText("trent@example.com: administrator, password of the backup, no second factor any more"),
	).toBeTruthy();
	expect(screen.getByText("walter@example.com: viewer, second factor of the backup again")).toBeTruthy();
	expect(screen.queryByText("node.id")).toBeNull();
	await user.click(screen.getByRole("button", { name: "Next" }));
	await user.selectOptions(await screen.findByLabelText("Interface for wan0"), "eth1");
	await user.selectOptions(screen.getByLabelText("Interface for dmz0"), "eth1");
	expect(screen.getByText("Mapped twice: eth1")).toBeTruthy();
	expect(screen.getByRole<HTMLButtonElement>("button", { name: "Next" }).disabled).toBe(true);
	await user.selectOptions(screen.getByLabelText("Interface for dmz0"), "");
	expect(screen.getByText("dmz0 stays without an interface")).toBeTruthy();
	await user.click(screen.getByRole("button", { name: "Next" }));
	expect(await screen.findByText(/Everyone is signed out/)).toBeTruthy();
	await user.selectOptions(screen.getByLabelText("Time to confirm"), "1800");
	expect(screen.getByText(/confirm within 30 minutes/)).toBeTruthy();
	expect(seen.some(({ method }) => method === "POST")).toBe(false);
	expect(screen.getByRole<HTMLButtonElement>("button", { name: "Restore now" }).disabled).toBe(true);
	await user.type(screen.getByLabelText(/^Your password/), "my own password");
	await user.click(screen.getByRole("button", { name: "Restore now" }));
	await waitFor(() => expect(router.state.location.pathname).toBe("/backups/restore"));
	const sent = seen.find(({ method }) => method === "POST");
	expect(await sent?.json()).toEqual({
		links: { wan0: "eth1" },
		confirm_within: 1800,
		password: "my own password",
	});
}, 60_000);

test("a backup that cannot be read leads no further", async () => {
	answer({
		...listed(all("admin", [backup()])),
		"GET /backups/b1/preview": () => refusal(409, { code: "backup_damaged", message: "the archive is damaged" }),
	});
	renderApp([feature], "/backups/b1/restore");
	expect(await screen.findByText("The archive is damaged.")).toBeTruthy();
	expect(screen.queryByRole("button", { name: /Next|Restore now/ })).toBeNull();
});

/** follow opens the page of a restore whose state is what tell answers at the time. */
function follow(tell: () => Response | Promise<Response>, more = {}) {
	return answer({ ...listed(all("admin")), ...more, "GET /backups/restore": tell });
}

test("while nobody answers nothing is green, and what ran is unknown", async () => {
	let tell: () => Response | Promise<Response> = () => ok(restoring(2));
	follow(() => tell());
	renderApp([feature], "/backups/restore");
	expect(await screen.findByText("A restore is running")).toBeTruthy();
	const step = () => screen.getByText("Switch the database").closest("li");
	expect(step()?.dataset.state).toBe("running");
	tell = () => Promise.reject(new TypeError("refused"));
	expect(await screen.findByText("The gateway does not respond at the moment")).toBeTruthy();
	expect(step()?.dataset.state).toBe("unknown");
	expect(screen.queryByText("The backup is restored")).toBeNull();
	tell = () => ok({ ...restoring(4), result: "confirmed" });
	expect(await screen.findByText("The backup is restored")).toBeTruthy();
}, 60_000);

test("after three minutes of silence the page says what to do", () => {
	const away = new ApiError(0, "network", "");
	const told = { data: restoring(2), error: away, answeredAt: 0 };
	expect(sightOf(told, silence).kind).toBe("away");
	expect(sightOf(told, silence + 1).kind).toBe("silent");
	expect(sightOf({ ...told, error: new ApiError(503, "database_unavailable", "") }, 1).kind).toBe("away");
	expect(sightOf({ ...told, error: new ApiError(401, "unauthenticated", "") }, silence + 1).kind).toBe("signIn");
	expect(sightOf({ ...told, error: new ApiError(403, "forbidden", "") }, silence + 1).kind).toBe("refused");
	expect(sightOf({ ...told, error: null }, silence + 1).kind).toBe("known");
	expect(sightOf({ data: undefined, error: null, answeredAt: 0 }, 0).kind).toBe("asking");
});

test("the console's command stands there after that time", async () => {
	const clock = Date.now;
	let later = 0;
	vi.spyOn(Date, "now").mockImplementation(() => clock() + later);
	follow(() => Promise.reject(new TypeError("refused")));
	renderApp([feature], "/backups/restore");
	expect(await screen.findByText("The gateway does not respond at the moment")).toBeTruthy();
	expect(screen.queryByText("gateway-ctl restore status")).toBeNull();
	later = silence + 2_000;
	expect(await screen.findByText("gateway-ctl restore status")).toBeTruthy();
}, 60_000);

test("an ended session is asked to sign in again, not told of a result", async () => {
	const over = () => refusal(401, { code: "unauthenticated", message: "sign in" });
	let tell = () => ok(restoring(2));
	let me = () => ok(all("admin")["GET /auth/me"]);
	follow(() => tell(), { "GET /auth/me": () => me() });
	renderApp([feature], "/backups/restore");
	expect(await screen.findByText("A restore is running")).toBeTruthy();
	tell = over;
	me = over;
	expect(await screen.findByText(/Sign in to see the result/)).toBeTruthy();
	expect(session.over.get()).toBe(true);
	expect(screen.queryByText("The backup is restored")).toBeNull();
});

test("a restore that waits is confirmed or reverted", async () => {
	let state = waiting;
	const seen = follow(() => ok(state), {
		"POST /backups/restore/confirm": () => {
			state = { ...restoring(4), result: "confirmed" };
			return ok(state);
		},
	});
	renderApp([feature], "/backups/restore");
	expect(await screen.findByRole("timer")).toBeTruthy();
	expect(screen.getByText(/waits for your confirmation/)).toBeTruthy();
	expect(screen.getByRole("button", { name: "Revert now" })).toBeTruthy();
	await userEvent.setup().click(screen.getByRole("button", { name: "Confirm" }));
	expect(await screen.findByText("The backup is restored")).toBeTruthy();
	expect(seen.filter(({ url }) => url.endsWith("/confirm"))).toHaveLength(1);
	await waitFor(() => expect(screen.queryByRole("timer")).toBeNull());
});

test("above every page stands that a restore waits, as long as the server tells so", async () => {
	const problem = {
		...{ code: "backup.restore_waiting", severity: "warning", params: {}, message: "", remedy: "" },
		...{ subject: { kind: "node", id: "n", name: "gw1" }, link: "/backups/restore", since: waiting.started_at },
	};
	const list = { version: "1", problems: [problem], unknown: [], counts: { warning: 1 } };
	answer({ ...listed(all("viewer")), "GET /backups/restore": () => ok(waiting), "GET /problems": () => ok(list) });
	renderApp([feature], "/backups?tab=settings");
	expect(await screen.findByRole("timer")).toBeTruthy();
	// A viewer sees it, and cannot decide it.
	expect(screen.queryByRole("button", { name: "Confirm" })).toBeNull();
});

test("what a restore came to is read out of its result, not out of its steps", () => {
	expect(stageOf(none)).toBe("none");
	expect(stageOf(restoring(4))).toBe("running");
	expect(stageOf(waiting)).toBe("waiting");
	expect(stageOf({ ...waiting, result: "undone" })).toBe("undone");
});

test("interfaces are mapped by themselves only where there is no choice", () => {
	expect(startOf(preview.links)).toEqual({ wan0: "", dmz0: "" });
	expect(startOf([{ name: "wan0", matches: false, candidates: ["eth1"] }])).toEqual({ wan0: "eth1" });
	expect(twiceIn({ a: "eth1", b: "eth1", c: "", d: "" })).toEqual(["eth1"]);
	expect(sentOf({ a: "eth1", b: "" })).toEqual({ a: "eth1" });
});
