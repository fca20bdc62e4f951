import { render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { memo, useState } from "react";
import { expect, test, vi } from "vitest";
import { ConfirmDialog } from "./ConfirmDialog";
import { Dialog } from "./Dialog";

function Two({ onClose }: { onClose: () => void }) {
	const [asking, ask] = useState(true);
	return (
		<Dialog title="Below" onClose={onClose}>
			<input aria-label="Name" />
			{asking && (
				<ConfirmDialog title="Above" confirm="Do" danger onConfirm={vi.fn()} onClose={() => ask(false)}>
					{"Sure?"}
				</ConfirmDialog>
			)}
		</Dialog>
	);
}

test("Escape closes the dialog on top and no other", async () => {
	const lower = vi.fn();
	render(<Two onClose={lower} />);
	const user = userEvent.setup();
	await screen.findByRole("dialog", { name: "Above" });
	await user.keyboard("{Escape}");
	await waitFor(() => expect(screen.queryByText("Sure?")).toBeNull());
	expect(lower).not.toHaveBeenCalled();
	await user.keyboard("{Escape}");
	expect(lower).toHaveBeenCalledOnce();
});

test("a dialog that has no way out keeps open, and keeps the focus", async () => {
	render(
		<Dialog title="Codes" footer={<button type="button">Done</button>}>
			{"once"}
		</Dialog>,
	);
	const user = userEvent.setup();
	const done = await screen.findByRole("button", { name: "Done" });
	await waitFor(() => expect(document.activeElement).toBe(done));
	await user.keyboard("{Escape}");
	await user.tab();
	expect(screen.queryByRole("button", { name: "Close" })).toBeNull();
	expect(document.activeElement).toBe(done);
});

function Lower({ title }: { title: string }) {
	return (
		<>
			<Dialog title={title} onClose={vi.fn()}>
				<input aria-label="Name" />
			</Dialog>
			<Upper />
		</>
	);
}

const Upper = memo(() => (
	<Dialog title="Upper" footer={<button type="button">Discard</button>}>
		{"Really?"}
	</Dialog>
));

test("a dialog above another one stays there for screen readers when the lower one is drawn again", async () => {
	const { rerender } = render(<Lower title="Lower" />);
	expect(await screen.findByRole("button", { name: "Discard" })).toBeTruthy();
	rerender(<Lower title="Drawn again" />);
	expect(await screen.findByText("Drawn again")).toBeTruthy();
	expect(screen.getByRole("button", { name: "Discard" })).toBeTruthy();
	expect(screen.queryByRole("textbox", { name: "Name" })).toBeNull();
});
