import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import { CopyButton } from "./CopyButton";

test("a copy that the browser forbids is told", async () => {
	const user = userEvent.setup();
	const write = vi.spyOn(navigator.clipboard, "writeText");
	render(<CopyButton text="secret" label="Copy key" withLabel />);
	write.mockRejectedValueOnce(new DOMException("", "NotAllowedError"));
	await user.click(screen.getByRole("button"));
	await screen.findByText(/the browser does not allow it/);
	await user.click(screen.getByRole("button"));
	await screen.findByText("Copied");
	expect(await navigator.clipboard.readText()).toBe("secret");
});
