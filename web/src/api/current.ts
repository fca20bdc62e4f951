import { useConnection } from "./connection";

/** Looked is what useCurrent has to know of a query. */
interface Looked<T> {
	data: T | undefined;
	isError: boolean;
}

/**
 * useCurrent is what a query answered, as long as that holds: undefined once a later look failed or the server is away.
 * Whatever is shown as working goes through here, so that an old answer does not look like a new one. withoutDatabase
 * says that the answer is a new one also while the database is away.
 */
export function useCurrent<T>({ data, isError }: Looked<T>, withoutDatabase = false): T | undefined {
	const connection = useConnection();
	const answers = connection === "online" || (withoutDatabase && connection === "database");
	return answers && !isError ? data : undefined;
}
