import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Plugin } from "vite";

const require = createRequire(import.meta.url);

/** Where each export of a PatternFly package lives; PatternFly ships the list. */
function homes(name: string): Record<string, string> {
	const file = require.resolve(`${name}/package.json`).replace(/package\.json$/, "dist/dynamic-modules.json");
	return JSON.parse(readFileSync(file, "utf8")) as Record<string, string>;
}

const packages = ["@patternfly/react-core", "@patternfly/react-icons"];
const known = new Map(packages.map((name) => [name, homes(name)]));
const pattern = /^import \{([^}]*)\} from "(@patternfly\/react-(?:core|icons))";/gm;

/** deepen turns `import { Button } from "@patternfly/react-core"` into an import from Button's own folder. */
export function deepen(code: string): string {
	return code.replace(pattern, (_, names: string, from: string) =>
		names
			.split(",")
			.map((name) => name.trim())
			.filter((name) => name !== "" && !name.startsWith("type "))
			.map((name) => `import { ${name} } from "${home(from, name)}";`)
			.join(""),
	);
}

function home(from: string, name: string): string {
	const path = known.get(from)?.[name.split(" as ")[0]!];
	if (!path) throw new Error(`${from} has no ${name}`);
	const end = from.endsWith("icons") ? ".js" : "/index.js";
	return `${from}/${path.replace("dist/dynamic", "dist/esm")}${end}`;
}

/**
 * deep shows the bundler which component uses which. Through PatternFly's index everything
 * would depend on everything, and no chunk could be told from another.
 */
export function deep(): Plugin {
	return {
		name: "gateway:deep",
		enforce: "pre",
		apply: "build",
		transform: { filter: { id: /\/src\/.*\.tsx?$/ }, handler: (code) => ({ code: deepen(code), map: null }) },
	};
}
