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
 * reloadOnce loads the chunk of a page, or of a part of one. After an upgrade the chunk's old name is gone from
 * the server: then the document is reloaded, once. Only a page that loaded well may
 * cause a reload again, so a chunk that is really broken cannot loop.
 */
export function reloadOnce<M>(
	id: string,
	load: () => Promise<M>,
	{ storage, reachable, reload }: Surroundings = here,
): () => Promise<M> {
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
			return new Promise<M>(() => {}); // the document goes away
		}
	};
}
