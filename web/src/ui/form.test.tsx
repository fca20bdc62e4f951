import { render, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import * as z from "zod/mini";
import ConflictDialog from "./ConflictDialog";
import { changedOf, sectionsOf } from "./FormSections";
import { describe, type Field } from "./fields";
import { type FormFoot, SchemaForm } from "./SchemaForm";
import { UnitInput } from "./UnitInput";
import { sizeOf, unitText } from "./units";

const schema = z.object({
	email: z.string().check(z.minLength(1)),
	role: z.enum(["admin", "viewer"]),
	password: z.optional(z.string().check(z.minLength(12))),
	active: z.optional(z.boolean()),
});
const fields: Field[] = [
	{ name: "email", section: "account" },
	{ name: "password", section: "advanced" },
	{ name: "active", section: "advanced", initial: true },
	{ name: "role", section: "account" },
];
const inputs = fields.map((field) => describe(schema, field));

test("sections stand in the order in which they are named, advanced last", () => {
	const mixed = [...fields.slice(1), ...fields.slice(0, 1)].map((field) => describe(schema, field));
	expect(sectionsOf(mixed).map(({ name, inputs: own }) => [name, own.map((input) => input.name)])).toEqual([
		["account", ["role", "email"]],
		["advanced", ["password", "active"]],
	]);
});

test("what differs from the default is counted, what is not asked is not", () => {
	const advanced = inputs.filter((input) => input.section === "advanced");
	expect(changedOf(advanced, { password: "", active: true })).toBe(0);
	expect(changedOf(advanced, { password: null, active: false })).toBe(1);
	const hidden = advanced.map((input) => ({ ...input, when: { role: ["admin"] } }));
	expect(changedOf(hidden, { password: "x", active: false, role: "viewer" })).toBe(0);
});

const show = (submit = vi.fn(async () => undefined)) => {
	render(
		<SchemaForm schema={schema} ns="users" fields={fields} submit={submit} submitLabel="Save" guard={false} wide />,
	);
	return submit;
};

test("all that is wrong is marked, listed, and one press away, also where it is folded", async () => {
	const submit = show();
	const user = userEvent.setup();
	await user.type(screen.getByLabelText(/^Password/), "short");
	await user.click(screen.getByRole("button", { name: "Save" }));
	const summary = (await screen.findByText("3 fields need attention")).closest(".pf-v6-c-alert") as HTMLElement;
	for (const label of [/^E-mail/, /^Role/, /^Password/])
		expect(screen.getByLabelText(label).getAttribute("aria-invalid")).toBe("true");
	const fold = screen.getByText("Advanced").closest("details") as HTMLDetailsElement;
	expect(fold.open).toBe(true);
	fold.open = false;
	await user.click(within(summary).getByRole("button", { name: /^Password: At least 12/ }));
	expect(fold.open).toBe(true);
	expect(document.activeElement).toBe(screen.getByLabelText(/^Password/));
	expect(submit).not.toHaveBeenCalled();
});

test("advanced says how many of its values are not as they come", async () => {
	show();
	const summary = screen.getByText("Advanced");
	expect(summary.textContent).toBe("Advanced");
	await userEvent.setup().click(screen.getByRole("switch", { name: /Can sign in/ }));
	expect(summary.textContent).toContain("1 changed");
});

test("a value is told in the largest unit that fits", () => {
	const of = { seconds: [0, 90, 3600, 31_536_000], bytes: [10_485_760, 1000] } as const;
	expect(of.seconds.map((value) => unitText("seconds", value))).toEqual([
		"0 seconds",
		"90 seconds",
		"1 hour",
		"1 year",
	]);
	expect(of.bytes.map((value) => unitText("bytes", value))).toEqual(["10 MiB", "1,000 B"]);
	expect(sizeOf("seconds", 5400)).toEqual(["min", 60]);
});

test("a number is typed in its unit and stored as the server counts; a preset is one press", async () => {
	const change = vi.fn();
	render(
		<UnitInput
			id="x"
			label="HSTS"
			unit="seconds"
			value={86_400}
			presets={[0, 31_536_000]}
			zero="Off"
			onChange={change}
		/>,
	);
	const user = userEvent.setup();
	expect((screen.getByRole("spinbutton") as HTMLInputElement).value).toBe("1");
	await user.type(screen.getByRole("spinbutton"), "0");
	expect(change).toHaveBeenLastCalledWith(864_000);
	await user.selectOptions(screen.getByRole("combobox", { name: "Unit of HSTS" }), "h");
	expect(change).toHaveBeenLastCalledWith(3600);
	await user.click(screen.getByRole("button", { name: "1 year" }));
	expect(change).toHaveBeenLastCalledWith(31_536_000);
	await user.click(screen.getByRole("button", { name: "Off" }));
	expect(change).toHaveBeenLastCalledWith(0);
});

test("limits are told in the unit of the input", async () => {
	const timed = z.object({ pause: z.int().check(z.gte(60), z.lte(86_400)) });
	const asked: Field[] = [{ name: "pause", unit: "seconds" }];
	render(
		<SchemaForm
			schema={timed}
			ns="users"
			fields={asked}
			submit={vi.fn()}
			submitLabel="Save"
			guard={false}
			initial={{ pause: 90_000 }}
		/>,
	);
	await userEvent.setup().click(screen.getByRole("button", { name: "Save" }));
	expect(await screen.findByText(/At most 1 day/)).toBeTruthy();
});

test("nothing can be typed while it is found out what would change", async () => {
	let answer = (_: unknown) => {};
	const looked = new Promise((resolve) => {
		answer = resolve;
	});
	let check: FormFoot<unknown>["check"] = async () => {};
	render(
		<SchemaForm
			schema={schema}
			ns="users"
			fields={fields}
			submit={vi.fn()}
			submitLabel="Save"
			guard={false}
			initial={{ email: "a@b.c", role: "admin" }}
			foot={(form) => {
				check = form.check;
				return {};
			}}
		/>,
	);
	const body = screen.getByLabelText(/^E-mail/).closest(".gw-form-body") as HTMLElement;
	void check(async () => void (await looked));
	await waitFor(() => expect(body.hasAttribute("inert")).toBe(true));
	answer(undefined);
	await waitFor(() => expect(body.hasAttribute("inert")).toBe(false));
});

test("both sides of a conflict are told in the unit of the field", () => {
	render(
		<ConflictDialog
			ns="users"
			fields={[{ name: "pause", unit: "seconds" }]}
			theirs={{ pause: 3_600 }}
			mine={{ pause: 90 }}
			onOverwrite={vi.fn()}
			onTakeTheirs={() => {}}
			onCancel={() => {}}
			onClose={() => {}}
		/>,
	);
	expect(screen.getByRole("cell", { name: "1 hour" })).toBeTruthy();
	expect(screen.getByRole("cell", { name: "90 seconds" })).toBeTruthy();
});
