import { reloadOnce } from "@api";
import { type ComponentProps, type ComponentType, type LazyExoticComponent, lazy } from "react";

/**
 * later loads a part of a page when it is first shown. Its chunk may be gone after an upgrade; then
 * the document is reloaded once, as it is for a whole page. The id is its own.
 */
export function later<C extends ComponentType<ComponentProps<C>>>(
	id: string,
	load: () => Promise<{ default: C }>,
): LazyExoticComponent<C> {
	return lazy(reloadOnce(id, load));
}
