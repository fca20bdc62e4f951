import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { expect, test } from "vitest";
import { UnitInput } from "./UnitInput";

let last: number | "" = "";

function Held({ start }: { start: number }) {
	const [value, set] = useState<number | "">(start);
	last = value;
	return <UnitInput id="time" label="Time" aria-label="Time" unit="seconds" value={value} onChange={set} />;
}

test.each([
	["1.05", 3_780],
	["0.5", 1_800],
	["", ""],
])("%j hours, typed one by one, stay what was typed", async (typed, want) => {
	render(<Held start={3_600} />);
	const box = screen.getByRole("spinbutton", { name: "Time" }) as HTMLInputElement;
	const user = userEvent.setup();
	await user.clear(box);
	if (typed) await user.type(box, typed);
	expect(last).toBe(want);
	expect(box.value).toBe(typed);
});

test("a number is typed in sizes that the server takes", () => {
	render(<UnitInput id="time" label="Time" unit="seconds" value={60} max={300} onChange={() => {}} />);
	expect(screen.getAllByRole("option").map(({ textContent }) => textContent)).toEqual(["second", "minute"]);
});

test("the example is in the size that is chosen", async () => {
	render(<UnitInput id="time" label="Time" unit="milliseconds" value="" placeholder="100" onChange={() => {}} />);
	expect(screen.getByPlaceholderText("100")).toBeTruthy();
	await userEvent.setup().selectOptions(screen.getByRole("combobox"), "s");
	expect(screen.getByPlaceholderText("0.1")).toBeTruthy();
});
