import { expect, test, vi } from "vitest";
import { reloadOnce } from "./reload";

const module = { default: () => null };

function surroundings(reachable = true) {
	const kept = new Map<string, string>();
	return {
		storage: {
			getItem: (key: string) => kept.get(key) ?? null,
			setItem: (key: string, value: string) => void kept.set(key, value),
			removeItem: (key: string) => void kept.delete(key),
		},
		reachable: () => Promise.resolve(reachable),
		reload: vi.fn(),
	};
}

const gone = () => Promise.reject(new TypeError("Failed to fetch dynamically imported module"));

// shows UI-05
test("a chunk that is gone reloads the document once, no more", async () => {
	const around = surroundings();
	void reloadOnce("users", gone, around)();
	await vi.waitFor(() => expect(around.reload).toHaveBeenCalledTimes(1));
	// The document was reloaded and the chunk is still gone.
	await expect(reloadOnce("users", gone, around)()).rejects.toThrow("Failed to fetch");
	await expect(reloadOnce("users", gone, around)()).rejects.toThrow("Failed to fetch");
	expect(around.reload).toHaveBeenCalledTimes(1);
});

test("another page that loads well does not allow a broken one to reload again", async () => {
	const around = surroundings();
	void reloadOnce("broken", gone, around)();
	await vi.waitFor(() => expect(around.reload).toHaveBeenCalledTimes(1));
	await reloadOnce("users", () => Promise.resolve(module), around)();
	await expect(reloadOnce("broken", gone, around)()).rejects.toThrow();
	expect(around.reload).toHaveBeenCalledTimes(1);
});

test("a page that loaded well after the reload may reload at the next upgrade", async () => {
	const around = surroundings();
	void reloadOnce("users", gone, around)();
	await vi.waitFor(() => expect(around.reload).toHaveBeenCalledTimes(1));
	await reloadOnce("users", () => Promise.resolve(module), around)();
	void reloadOnce("users", gone, around)();
	await vi.waitFor(() => expect(around.reload).toHaveBeenCalledTimes(2));
});

test("a lost connection is no reason to reload", async () => {
	const around = surroundings(false);
	await expect(reloadOnce("users", gone, around)()).rejects.toThrow();
	expect(around.reload).not.toHaveBeenCalled();
});
