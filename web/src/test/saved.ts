import { vi } from "vitest";

/** saved catches the files that a page hands to the browser, by name. */
export function saved(): Map<string, string> {
	const files = new Map<string, string>();
	let last: Blob | undefined;
	vi.stubGlobal(
		"URL",
		Object.assign(URL, {
			createObjectURL: (blob: Blob) => {
				last = blob;
				return "blob:file";
			},
			revokeObjectURL: () => {},
		}),
	);
	vi.spyOn(HTMLAnchorElement.prototype, "click").mockImplementation(function click(this: HTMLAnchorElement) {
		const name = this.download;
		void last?.text().then((text) => files.set(name, text));
	});
	return files;
}
