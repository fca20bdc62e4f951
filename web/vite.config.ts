import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";
import { chunkOf, fileOf } from "./build/chunks.ts";
import { deep } from "./build/deep.ts";
import { parts } from "./build/parts.ts";
import { patternfly } from "./build/patternfly.ts";
import { unsteady } from "./build/unsteady.ts";

const at = (folder: string) => new URL(folder, import.meta.url).pathname;

export default defineConfig({
	plugins: [deep(), parts(), patternfly(), react()],
	resolve: {
		alias: [
			{ find: /^@api$/, replacement: at("./src/api/index.ts") },
			{ find: /^@api\//, replacement: at("./src/api/") },
			{ find: /^@ui$/, replacement: at("./src/ui/index.ts") },
			{ find: /^@ui\//, replacement: at("./src/ui/") },
		],
	},
	server: {
		// Same origin for the browser, so that the session cookie is first-party here too.
		proxy: { "/api": { target: "http://127.0.0.1:8080", ws: true } },
	},
	build: {
		target: "es2023",
		// The Content-Security-Policy allows data: for images only, so nothing is inlined.
		assetsInlineLimit: 0,
		manifest: true,
		modulePreload: { polyfill: false },
		chunkSizeWarningLimit: 700,
		rolldownOptions: {
			output: {
				chunkFileNames: fileOf,
				codeSplitting: { groups: [{ name: chunkOf(at("./src/app/main.tsx")) }] },
			},
		},
	},
	test: {
		environment: "jsdom",
		// A window and the modules of its own for each file take four times as long as the tests themselves.
		pool: "threads",
		isolate: false,
		maxWorkers: "100%",
		include: ["src/**/*.test.{ts,tsx}", "build/**/*.test.ts", "codegen/*.test.ts"],
		setupFiles: ["src/test/setup.ts"],
		testTimeout: 30_000,
		// As in the other stages of the gate: once more, and told.
		retry: process.env.CI ? 1 : 0,
		reporters: ["default", unsteady()],
		restoreMocks: true,
		css: false,
		server: { deps: { inline: [/@patternfly/] } },
	},
});
