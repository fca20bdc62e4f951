import type { ReactNode } from "react";
import { ErrorState } from "./ErrorState";
import { Waiting } from "./Waiting";

interface Props<T> {
	query: { data: T | undefined; error: unknown; refetch: () => unknown };
	/** About the height of what will be there. */
	height?: string;
	children: (data: T) => ReactNode;
}

/** Loaded shows what a query answered; what is known already stays when a later look fails. */
export function Loaded<T>({ query, height, children }: Props<T>) {
	if (query.data !== undefined) return children(query.data);
	if (query.error) return <ErrorState error={query.error} retry={() => void query.refetch()} />;
	return <Waiting height={height} />;
}
