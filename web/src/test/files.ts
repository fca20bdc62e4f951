import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";

const src = join(process.cwd(), "src");

export interface SourceFile {
	/** Below src/: "features/users/UsersPage.tsx". */
	path: string;
	text: string;
}

/** sources are our own files: nothing generated. */
export function sources(pattern: RegExp): SourceFile[] {
	return readdirSync(src, { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile() && pattern.test(entry.name))
		.map((entry) => join(entry.parentPath, entry.name))
		.filter((path) => !path.includes("/api/generated/"))
		.map((path) => ({ path: relative(src, path), text: readFileSync(path, "utf8") }));
}

/** ownerOf is the folder whose messages a file uses: "app", "ui" or a feature. */
export function ownerOf(path: string): string {
	const [first, second] = path.split("/");
	return first === "features" ? second! : first!;
}
