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
