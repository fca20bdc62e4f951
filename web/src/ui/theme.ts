import { Store, useStore } from "@api";

export type Theme = "light" | "dark" | "system";

const key = "gateway.theme";
const system = window.matchMedia("(prefers-color-scheme: dark)");

const chosen = new Store<Theme>((localStorage.getItem(key) as Theme | null) ?? "system");
const dark = new Store(false);

function paint(): void {
	const theme = chosen.get();
	const isDark = theme === "dark" || (theme === "system" && system.matches);
	document.documentElement.classList.toggle("pf-v6-theme-dark", isDark);
	dark.set(isDark);
}

/** startTheme paints the chosen theme and follows the system's; called once, before the first render. */
export function startTheme(): void {
	system.addEventListener("change", paint);
	paint();
}

/** setTheme paints a theme and remembers it in this browser. */
export function setTheme(theme: Theme): void {
	localStorage.setItem(key, theme);
	chosen.set(theme);
	paint();
}

/** useTheme is what was chosen; useDark what is seen. */
export const useTheme = () => useStore(chosen);
export const useDark = () => useStore(dark);
