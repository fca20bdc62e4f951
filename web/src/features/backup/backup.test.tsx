import { queryClient, session, setUp } from "@api";
import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { isAsked } from "@ui/fields";
import { beforeAll, beforeEach, expect, test, vi } from "vitest";
import { renderApp } from "../../test/render";
import { answer, listed, ok, refusal } from "../../test/server";
import { feature } from ".";
import { all, backup, moment, target } from "./fixture";
import { flatOf, nestedOf } from "./target";
import { form } from "./targetForm";

const said = (message: string) => ({ message, text: message });

beforeAll(async () => {
	setUp();
	await Promise.all([import("./BackupsPage"), import("./TargetsTab"), import("./TestDialog"), import("./SettingsTab")]);
}, 120_000);
beforeEach(() => {
	queryClient.clear();
	session.over.set(false);
});

test("a node without a backup says so as a warning, and makes one", async () => {
	const made = backup();
	const seen = answer({ ...listed(all("admin")), "POST /backups": () => ok(made, {}, 201) });
	renderApp([feature], "/backups");
	expect((await screen.findAllByText("Never backed up")).map((one) => one.dataset.status)).toContain("warning");
	await userEvent.setup().click(screen.getByRole("button", { name: "Back up now" }));
	await vi.waitFor(() =>
		expect(seen.some(({ method, url }) => method === "POST" && url.endsWith("/backups"))).toBe(true),
	);
});

test("a row says how it went, whether it was verified, and what came of it at each target", async () => {
	const uploads = [
		{ target_id: "t1", name: "Vault", state: "done" as const, at: moment(3) },
		{ target_id: "t2", name: "S3", state: "failed" as const, at: moment(3), error: said("the target is full") },
	];
	answer(
		listed(
			all("viewer", [
				backup({ remote_uploads: uploads, verify_status: "done", verified_at: moment(2), portable: false }),
				backup({ id: "b2", verify_status: "failed", verified_at: moment(9), verify_error: said("a sum differs") }),
				backup({ id: "b3", status: "failed", error: said("the disk is full") }),
				backup({ id: "b4" }),
			]),
		),
	);
	renderApp([feature], "/backups");
	const rows = (await screen.findAllByRole("row")).slice(1).map((row) => row.textContent ?? "");
	expect(rows[0]).toMatch(
		/Complete.*1\.5 MiB.*Verified2 hours ago.*This gateway.*Vault.*S3: failed.*The target is full\./,
	);
	expect(rows[0]).toMatch(/Opens on this gateway only/);
	expect(rows[1]).toMatch(/Not usable.*Verification failedA sum differs\./);
	expect(rows[1]).not.toMatch(/Verified/);
	expect(rows[2]).toMatch(/FailedThe disk is full\./);
	expect(rows[3]).toMatch(/Complete.*Not verified/);
	expect(screen.queryByRole("button", { name: /Back up now|Actions/ })).toBeNull();
});

test("a running one shows its step and how far it is", async () => {
	const progress = { step: "database" as const, done: 30, total: 120 };
	answer(listed(all("admin", [backup({ status: "running", progress }), backup({ id: "b2" })])));
	renderApp([feature], "/backups");
	expect(await screen.findByText("Saving the database 25%")).toBeTruthy();
	expect(screen.getByRole("progressbar", { name: "Saving the database" }).getAttribute("value")).toBe("0.25");
	expect(screen.getByRole<HTMLButtonElement>("button", { name: /Back up now/ }).disabled).toBe(true);
	expect(screen.getAllByRole("button", { name: /Actions for/ })).toHaveLength(1);
});

test("deleting is asked first, and verifying begins", async () => {
	const seen = answer({
		...listed(all("admin", [backup()])),
		"POST /backups/b1/verify": () => ok(backup({ verify_status: "running" }), {}, 202),
		"DELETE /backups/b1": () => ok(null),
	});
	renderApp([feature], "/backups");
	const user = userEvent.setup();
	await user.click(await screen.findByRole("button", { name: /Actions for/ }));
	await user.click(await screen.findByRole("menuitem", { name: "Verify" }));
	await user.click(screen.getByRole("button", { name: /Actions for/ }));
	await user.click(await screen.findByRole("menuitem", { name: "Delete backup" }));
	expect(await screen.findByText(/Copies at off-site targets stay/)).toBeTruthy();
	expect(seen.filter(({ method }) => method === "DELETE")).toHaveLength(0);
	await user.click(within(screen.getByRole("dialog")).getByRole("button", { name: "Delete" }));
	await vi.waitFor(() => expect(seen.filter(({ method }) => method === "DELETE")).toHaveLength(1));
	expect(seen.filter(({ url }) => url.endsWith("/verify"))).toHaveLength(1);
}, 60_000);

test("a download asks for the password, and is fetched with the ticket for it", async () => {
	const links: string[] = [];
	vi.spyOn(HTMLAnchorElement.prototype, "click").mockImplementation(function (this: HTMLAnchorElement) {
		links.push(this.getAttribute("href") ?? "");
	});
	let right = false;
	const seen = answer({
		...listed(all("admin", [backup()])),
		"POST /backups/b1/download-ticket": () =>
			right
				? ok({ ticket: "t-1", expires_at: moment(0) })
				: refusal(401, { code: "wrong_password", message: "the current password is wrong" }),
	});
	renderApp([feature], "/backups?do=download&id=b1");
	const user = userEvent.setup();
	const dialog = within(await screen.findByRole("dialog", undefined, { timeout: 30_000 }));
	await user.type(dialog.getByLabelText(/^Your password/), "a guess");
	await user.click(dialog.getByRole("button", { name: "Download" }));
	expect((await dialog.findAllByText(/This is not your password/)).length).toBeGreaterThan(0);
	expect(links).toEqual([]);
	right = true;
	await user.click(dialog.getByRole("button", { name: "Download" }));
	await vi.waitFor(() => expect(links).toEqual(["/api/v1/backups/b1/download?ticket=t-1"]));
	expect(await seen.find(({ method }) => method === "POST")?.json()).toEqual({ password: "a guess" });
	vi.restoreAllMocks();
}, 60_000);

test("a target shows its pinned host key, and a test says why it fails and which key the server has", async () => {
	const result = { ok: false, error: said("the host key is another one"), host_key: "SHA256:other" };
	answer({
		...listed(all("admin")),
		"GET /backup-targets/t1": () => ok(target),
		"POST /backup-targets/t1/test": () => ok(result),
	});
	renderApp([feature], "/backups?tab=targets&do=test&id=t1");
	const user = userEvent.setup();
	await user.click(await screen.findByText("Run test", undefined, { timeout: 30_000 }));
	expect(await screen.findByText("The target does not work")).toBeTruthy();
	expect(screen.getByText("The host key is another one.")).toBeTruthy();
	expect(screen.getByText("Host key of the server: SHA256:other")).toBeTruthy();
	await user.click(screen.getByRole("button", { name: "Close" }));
	const row = await screen.findByRole("row", { name: /Vault/ });
	expect(within(row).getByText("Host key SHA256:pinned")).toBeTruthy();
	expect(within(row).getByText("No upload yet").dataset.status).toBe("neutral");
	expect(within(row).queryByText(/of another gateway/)).toBeNull();
}, 60_000);

test("a target says how many archives there retention leaves alone", async () => {
	answer({
		...listed(all("admin")),
		"GET /backup-targets": () => ok([{ ...target, foreign_archives: 7 }], { "X-Total-Count": "1" }),
	});
	renderApp([feature], "/backups?tab=targets");
	const row = await screen.findByRole("row", { name: /Vault/ }, { timeout: 30_000 });
	expect(within(row).getByText(/^7 archives there are of another gateway/)).toBeTruthy();
}, 60_000);

test("a form asks for the settings of its kind only, and a pasted key is sent as the API wants it", () => {
	const asked = (values: object) =>
		form.fields.filter((field) => isAsked(field, values as Record<string, unknown>)).map(({ name }) => name);
	expect(asked({ kind: "s3" })).not.toContain("private_key");
	expect(asked({ kind: "sftp" })).not.toContain("bucket");
	expect(flatOf(target).password).toBe("***SET***");
	const key = "-----BEGIN OPENSSH PRIVATE KEY-----\nabc\n-----END OPENSSH PRIVATE KEY-----";
	const body = { kind: "sftp", host: "vault.example.com", username: "ann", private_key: key } as const;
	const { settings, ...rest } = nestedOf(body as Parameters<typeof nestedOf>[0]);
	expect(rest).toEqual({ kind: "sftp" });
	expect(settings).toMatchObject({ host: "vault.example.com", username: "ann" });
	expect(atob(settings.private_key ?? "")).toBe(`${key}\n`);
	const kept = nestedOf({ ...body, private_key: "***SET***" } as Parameters<typeof nestedOf>[0]);
	expect(kept.settings.private_key).toBe("***SET***");
});

test("the passphrase is typed twice, and its loss is told in plain words", async () => {
	const seen = answer({
		...listed(all("admin")),
		"PUT /backups/passphrase": () => refusal(422, { code: "invalid", message: "too weak" }),
	});
	renderApp([feature], "/backups?tab=settings");
	expect(await screen.findByText("No passphrase: a backup opens on this gateway only")).toBeTruthy();
	const user = userEvent.setup();
	await user.type(screen.getByLabelText(/^New passphrase/), "correct horse battery");
	await user.type(screen.getByLabelText(/^Repeat the passphrase/), "correct horse");
	await user.type(screen.getByLabelText(/^Your password/), "my own password");
	await user.click(screen.getByRole("button", { name: "Set passphrase" }));
	expect(await screen.findByText(/two passphrases differ/)).toBeTruthy();
	expect(seen.some(({ method }) => method === "PUT")).toBe(false);
}, 60_000);

test("how many are kept is stored with the node's other settings of what it keeps", async () => {
	const seen = answer({
		...listed(all("admin")),
		"PUT /backups/settings": () => ok({ id: "s", revision: 4, daily: true, verify: true }),
		"PUT /system/retention": () => ok({ backups: 30, audit_days: 365 }),
	});
	renderApp([feature], "/backups?tab=settings");
	const user = userEvent.setup();
	await user.click(await screen.findByRole("switch", { name: "Verify each backup" }));
	const keep = screen.getByLabelText(/^Backups to keep/);
	await user.clear(keep);
	await user.type(keep, "30");
	await user.click(screen.getByRole("button", { name: "Save" }));
	await vi.waitFor(() => expect(seen.filter(({ method }) => method === "PUT")).toHaveLength(2));
	const [settings, kept] = seen.filter(({ method }) => method === "PUT");
	expect(settings?.headers.get("If-Match")).toBe('"3"');
	expect(await settings?.json()).toEqual({ daily: true, verify: true });
	expect(await kept?.json()).toEqual({ backups: 30 }); // the audit log is somebody else's
}, 60_000);
