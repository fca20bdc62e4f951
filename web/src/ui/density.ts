import { Store, useStore } from "@api";

/** Density is how much space the rows of tables and lists take. */
export type Density = "comfortable" | "compact";

export const densities: Density[] = ["comfortable", "compact"];

const key = "gateway.density";

const chosen = new Store<Density>(localStorage.getItem(key) === "compact" ? "compact" : "comfortable");

const paint = () => document.documentElement.setAttribute("data-density", chosen.get());

/** startDensity paints what was chosen; called once, before the first render. */
export const startDensity = paint;

/** setDensity paints a density and remembers it in this browser. */
export function setDensity(density: Density): void {
	localStorage.setItem(key, density);
	chosen.set(density);
	paint();
}

export const useDensity = () => useStore(chosen);
