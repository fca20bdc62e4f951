import { useRouter } from "@tanstack/react-router";
import type { MouseEvent, ReactNode } from "react";

interface Props {
	/** A path of ours, without a query. */
	to: string;
	className?: string;
	children: ReactNode;
}

/**
 * RowLink is a Link for rows of long lists. The router's own link watches the address and works out where it leads;
 * hundreds of them a second, while somebody scrolls, are too much.
 */
export function RowLink({ to, className, children }: Props) {
	const router = useRouter();
	const follow = (event: MouseEvent) => {
		const elsewhere = event.metaKey || event.ctrlKey || event.shiftKey || event.altKey || event.button !== 0;
		if (elsewhere || event.defaultPrevented) return;
		event.preventDefault();
		void router.navigate({ to });
	};
	return (
		<a className={className} href={to} onClick={follow}>
			{children}
		</a>
	);
}
