import { useEffect, useState } from "react";

/** scroller is the element that scrolls the page. */
export const scroller = (): HTMLElement | null => document.getElementById("main");

/** useScrolled is true while the page is not at its top. */
export function useScrolled(): boolean {
	const [scrolled, setScrolled] = useState(false);
	useEffect(() => {
		const outer = scroller();
		if (!outer) return;
		let timer: ReturnType<typeof setTimeout> | undefined;
		const look = () => {
			timer = undefined;
			setScrolled(outer.scrollTop > 40);
		};
		// Not with every event: asking right after the rows changed makes the browser lay them out twice.
		const later = () => {
			timer ??= setTimeout(look, 100);
		};
		look();
		outer.addEventListener("scroll", later, { passive: true });
		return () => {
			clearTimeout(timer);
			outer.removeEventListener("scroll", later);
		};
	}, []);
	return scrolled;
}
