import { connection, queryClient } from "@api";
import { cleanup, configure } from "@testing-library/react";
import { toasts } from "@ui/toast";
import i18next from "i18next";
import { afterAll, afterEach, beforeAll, vi } from "vitest";

// The test files of a worker share one window; what one of them put in its place is gone for the next.
vi.unstubAllGlobals();
window.localStorage.clear();
window.sessionStorage.clear();

// jsdom has no layout, so it lacks what asks about it.
Object.defineProperty(window, "matchMedia", {
	value: () => ({ matches: false, addEventListener: () => {}, removeEventListener: () => {} }),
	configurable: true,
});
Object.defineProperty(HTMLElement.prototype, "clientHeight", { value: 800, configurable: true });
Object.defineProperty(HTMLElement.prototype, "clientWidth", { value: 1000, configurable: true });
Object.defineProperty(Element.prototype, "scrollIntoView", { value: () => {}, configurable: true });
Object.defineProperty(Element.prototype, "scrollTo", { value: () => {}, configurable: true });
// Charts draw on a canvas, which jsdom has none of: everything drawn goes nowhere.
const nowhere = new Proxy({}, { get: () => () => ({ width: 0 }), set: () => true });
vi.stubGlobal("Path2D", function nothing() {
	return nowhere;
});
Object.defineProperty(HTMLCanvasElement.prototype, "getContext", { value: () => nowhere, configurable: true });
vi.stubGlobal(
	"ResizeObserver",
	class {
		observe() {}
		unobserve() {}
		disconnect() {}
	},
);

// In a browser a request to "/api" goes to the page's own origin; Node wants it spelled out.
const NodeRequest = globalThis.Request;
vi.stubGlobal(
	"Request",
	class extends NodeRequest {
		constructor(input: RequestInfo | URL, init?: RequestInit) {
			super(typeof input === "string" ? new URL(input, window.location.href) : input, init);
		}
	},
);

// Tests read the English words that people see.
const files = import.meta.glob<Record<string, unknown>>("../{app,ui,features/*}/messages/en.json", {
	eager: true,
	import: "default",
});

beforeAll(async () => {
	await i18next.init({
		lng: "en",
		resources: {},
		defaultNS: "app",
		interpolation: { escapeValue: false },
	});
	for (const [path, messages] of Object.entries(files)) {
		i18next.addResourceBundle("en", path.split("/").at(-3)!, messages);
	}
});

afterEach(cleanup);
afterAll(() => {
	queryClient.clear();
	connection.begin(); // what one file lost, the next one would show as unknown
	toasts.set([]);
});

// The machine may be busy with other things.
configure({ asyncUtilTimeout: 8_000 });
