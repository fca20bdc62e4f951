import { Link as RouterLink } from "@tanstack/react-router";
import type { ReactNode } from "react";

interface Props {
	to: string;
	search?: Record<string, string>;
	className?: string;
	children: ReactNode;
	onClick?: () => void;
}

/** Link goes to another page without loading the document; the page's chunk is fetched on hover. */
export function Link({ search, ...rest }: Props) {
	return <RouterLink preload="intent" search={search as never} {...rest} />;
}
