import type { ComponentType } from "react";

/** Page is a module whose default export is the page. */
export type PageModule = { default: ComponentType };
export type PageImport = () => Promise<PageModule>;

interface Surroundings {
	storage: Pick<Storage, "getItem" | "setItem" | "removeItem">;
	/** Whether the server answers at all; a lost connection is no reason to reload. */
	reachable: () => Promise<boolean>;
	reload: () => void;
}

const here: Surroundings = {
	storage: window.sessionStorage,
	reachable: () =>
		fetch("/api/v1/system/health", { cache: "no-store" }).then(
			(r) => r.ok,
			() => false,
		),
	reload: () => window.location.reload(),
};

/**
 * reloadOnce loads a page's chunk. After an upgrade the chunk's old name is gone from
 * the server: then the document is reloaded, once. Only a page that loaded well may
 * cause a reload again, so a chunk that is really broken cannot loop.
 */
export function reloadOnce(
	id: string,
	load: PageImport,
	{ storage, reachable, reload }: Surroundings = here,
): PageImport {
	const mark = `gateway.reloaded.${id}`;
	return async () => {
		try {
			const module = await load();
			storage.removeItem(mark);
			return module;
		} catch (error) {
			if (storage.getItem(mark) !== null || !(await reachable())) throw error;
			storage.setItem(mark, new Date().toISOString());
			reload();
			return new Promise<PageModule>(() => {}); // the document goes away
		}
	};
}
