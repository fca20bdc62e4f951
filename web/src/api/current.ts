import { useConnection } from "./connection";

/** Looked is what useCurrent has to know of a query. */
interface Looked<T> {
	data: T | undefined;
	isError: boolean;
}

/**
 * useCurrent is what a query answered, as long as that holds: undefined once a later look failed or the server is away.
 * Whatever is shown as working goes through here, so that an old answer does not look like a new one.
 */
export function useCurrent<T>({ data, isError }: Looked<T>): T | undefined {
	const online = useConnection() === "online";
	return online && !isError ? data : undefined;
}
