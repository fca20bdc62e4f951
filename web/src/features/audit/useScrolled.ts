import { useEffect, useState } from "react";

/** scroller is the element that scrolls the page. */
export const scroller = (): HTMLElement | null => document.getElementById("main");

/** useScrolled is true while the page is not at its top. */
export function useScrolled(): boolean {
	const [scrolled, setScrolled] = useState(false);
	useEffect(() => {
		const outer = scroller();
		if (!outer) return;
		const look = () => setScrolled(outer.scrollTop > 40);
		look();
		outer.addEventListener("scroll", look, { passive: true });
		return () => outer.removeEventListener("scroll", look);
	}, []);
	return scrolled;
}
