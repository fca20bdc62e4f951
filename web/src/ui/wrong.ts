/** wrongOf is the first message of a field's error; an entry of a list has its own, which says which one it is. */
export function wrongOf(error: unknown): string | undefined {
	if (typeof error !== "object" || error === null) return undefined;
	const { message } = error as { message?: unknown };
	if (typeof message === "string" && message !== "") return message;
	if (!Array.isArray(error)) return undefined;
	const at = error.findIndex(Boolean);
	const inner = wrongOf(error[at]);
	return inner && `${at + 1}: ${inner}`;
}
