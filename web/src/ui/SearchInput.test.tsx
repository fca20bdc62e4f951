import { queryClient } from "@api";
import { QueryClientProvider } from "@tanstack/react-query";
import { render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { beforeEach, expect, test } from "vitest";
import type { ChoiceSource } from "./fields";
import { SearchInput } from "./SearchInput";

const all = [
	{ value: "1", label: "printers", hint: "192.0.2.0/24" },
	{ value: "2", label: "branch" },
	{ value: "3", label: "branch printers" },
];
const source: ChoiceSource = {
	key: "things",
	tag: "thing",
	find: async (text) => all.filter(({ label }) => label.includes(text)),
	name: async (value) => all.find((one) => one.value === value)?.label ?? "",
};

function Form({ first = "" }: { first?: string }) {
	const [value, setValue] = useState(first);
	return (
		<QueryClientProvider client={queryClient}>
			<SearchInput id="thing" label="Thing" source={source} value={value} onChange={setValue} />
			<output>{value}</output>
		</QueryClientProvider>
	);
}

beforeEach(() => queryClient.clear());

const chosen = () => document.querySelector("output")?.textContent;

test("typing finds on the server, and the keyboard chooses", async () => {
	render(<Form />);
	const user = userEvent.setup();
	await user.type(screen.getByRole("combobox", { name: "Thing" }), "branch");
	await waitFor(() => expect(screen.getAllByRole("option")).toHaveLength(2));
	await user.keyboard("{ArrowDown}{Enter}");
	expect(chosen()).toBe("3");
	await waitFor(() => expect((screen.getByRole("combobox") as HTMLInputElement).value).toBe("branch printers"));
	expect(screen.queryByRole("listbox")).toBeNull();
});

test("what is chosen has its name, Escape leaves it, and emptying it by hand chooses nothing", async () => {
	render(<Form first="1" />);
	const user = userEvent.setup();
	const input = screen.getByRole("combobox") as HTMLInputElement;
	await waitFor(() => expect(input.value).toBe("printers"));
	await user.type(input, "zzz");
	expect(await screen.findByText("No results")).toBeTruthy();
	await user.keyboard("{Escape}");
	expect([input.value, chosen()]).toEqual(["printers", "1"]);
	await user.clear(input);
	await user.tab();
	expect(chosen()).toBe("");
});
