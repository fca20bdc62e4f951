import type { Feature } from "@ui/feature";
import { pageWords } from "./language";

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
	return withWords(feature);
}

/** withWords loads a feature's words with whatever it shows first: a page, a card, a chart, a result of the palette. */
function withWords(feature: Feature): Feature {
	const { id, routes, dashboard, history, palette, waits, signIn } = feature;
	const both =
		<M>(load: () => Promise<M>) =>
		async () =>
			(await Promise.all([load(), pageWords(id)]))[0];
	return {
		...feature,
		routes: routes.map((route) => ({ ...route, page: both(route.page) })),
		dashboard: dashboard && both(dashboard),
		waits: waits && { ...waits, bar: both(waits.bar) },
		history: history && both(history),
		signIn: signIn && both(signIn),
		palette:
			palette &&
			(async (context) => {
				await pageWords(id);
				return palette(context);
			}),
	};
}

/** features of this build. */
export const features = discover(
	import.meta.glob<{ feature: Feature }>("../features/*/index.{ts,tsx}", { eager: true }),
);
