interface Graph {
	getModuleInfo: (id: string) => { importedIds: readonly string[] } | null;
}

const entry = /\/src\/app\/main\.tsx$/;
/** What nearly every page needs: files of a few hundred bytes cost more in asking than in bytes. */
const small = /\/src\/ui\/(moment|units|urlState|words)\.ts$/;
const closures = new WeakMap<Graph, Set<string>>();

/** firstLoad is every module that main.tsx imports without import(), directly or not. */
function firstLoad(graph: Graph, root: string): Set<string> {
	const seen = new Set<string>();
	const visit = (id: string) => {
		if (seen.has(id)) return;
		seen.add(id);
		for (const next of graph.getModuleInfo(id)?.importedIds ?? []) visit(next);
	};
	visit(root);
	return seen;
}

/** fileOf names the files of the build; the words of a feature's pages by the feature and the language. */
export function fileOf({ facadeModuleId }: { facadeModuleId?: string | null }): string {
	const [, feature, language] = /\/features\/([\w-]+)\/messages\/(\w+)\.json\?page$/.exec(facadeModuleId ?? "") ?? [];
	return feature ? `assets/page-${feature}-${language}-[hash].js` : "assets/[name]-[hash].js";
}

/**
 * chunkOf puts the first load into two files (React, which rarely changes, and the rest), so that
 * the browser does not ask for sixty; per language, one file has the messages of the first load and one what the server says.
 * Other chunks are the bundler's choice.
 */
export function chunkOf(root: string) {
	return (id: string, graph: Graph): string | null => {
		const language = /\/src\/.*\/(?:messages\/(\w+)\.json\?words|catalogs\/(\w+)\.ts)$/.exec(id);
		if (language) return `messages-${language[1] ?? language[2]}`;
		const texts = /\/src\/.*\/(?:messages\/(\w+)\.json\?texts|catalogs\/texts-(\w+)\.ts)$/.exec(id);
		if (texts) return `texts-${texts[1] ?? texts[2]}`;
		if (/\/node_modules\/(react|react-dom|scheduler)\//.test(id)) return "react";
		if (/\/node_modules\/(zod|react-hook-form)\//.test(id)) return "forms";
		if (entry.test(id)) return null;
		if (small.test(id)) return "app";
		let first = closures.get(graph);
		if (!first) {
			first = firstLoad(graph, root);
			closures.set(graph, first);
		}
		return first.has(id) ? "app" : null;
	};
}
