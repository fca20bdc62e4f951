const two = (n: number) => String(n).padStart(2, "0");

/** toLocal: "2026-02-03T09:05:00Z" → "2026-02-03T10:05" for an input in Berlin; "" when it is no moment. */
export function toLocal(moment: string | undefined): string {
	const date = new Date(moment ?? "");
	if (Number.isNaN(date.getTime())) return "";
	const day = `${String(date.getFullYear()).padStart(4, "0")}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
	const seconds = date.getSeconds() > 0 ? `:${two(date.getSeconds())}` : "";
	return `${day}T${two(date.getHours())}:${two(date.getMinutes())}${seconds}`;
}

/** fromLocal is the way back. */
export function fromLocal(text: string): string | undefined {
	const date = new Date(text);
	return text === "" || Number.isNaN(date.getTime()) ? undefined : date.toISOString().replace(".000Z", "Z");
}
