import type { Feature } from "@ui/feature";

type Modules = Record<string, { feature: Feature }>;

/** discover reads the features out of what a glob found; a folder is all that a feature needs. */
export function discover(modules: Modules): Feature[] {
	return Object.entries(modules)
		.map(([path, module]) => named(path, module.feature))
		.sort((a, b) => a.id.localeCompare(b.id));
}

function named(path: string, feature: Feature | undefined): Feature {
	const folder = path.split("/").at(-2);
	if (!feature || feature.id !== folder) throw new Error(`${path} must export a feature whose id is "${folder}"`);
	return feature;
}

/** features of this build. */
export const features = discover(
	import.meta.glob<{ feature: Feature }>("../features/*/index.{ts,tsx}", { eager: true }),
);
