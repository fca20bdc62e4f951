import { queryClient } from "@api";
import { QueryClientProvider } from "@tanstack/react-query";
import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { expect, test } from "vitest";
import { lastEntry, TokenInput } from "./TokenInput";

test.each([
	["", ""],
	["tcp/80", "tcp/80"],
	["tcp/80, ud", "ud"],
	["tcp/80,", ""],
	['a, "b, c', '"b, c'],
])("the entry that is being typed in %s", (text, entry) => expect(text.slice(lastEntry(text))).toBe(entry));

const source = {
	key: "token names",
	tag: "x",
	find: async (text: string) => (text === "pr" ? [{ value: "printers", label: "printers", hint: "192.0.2.0/24" }] : []),
	name: async (value: string) => value,
};

function Form() {
	const [value, setValue] = useState("");
	return <TokenInput id="a" label="Addresses" source={source} value={value} onChange={setValue} />;
}

test("a name is completed, and what was typed before it stays", async () => {
	render(
		<QueryClientProvider client={queryClient}>
			<Form />
		</QueryClientProvider>,
	);
	const user = userEvent.setup();
	const input = screen.getByRole("combobox", { name: "Addresses" }) as HTMLInputElement;
	await user.type(input, "10.0.0.0/8, pr");
	await screen.findByRole("option", { name: /printers/ });
	await user.keyboard("{ArrowDown}{Enter}");
	expect(input.value).toBe("10.0.0.0/8, printers");
});
