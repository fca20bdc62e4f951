/** An address is its bytes: four of them, or sixteen. */
type Bytes = number[];

function four(text: string): Bytes | undefined {
	const parts = text.split(".");
	// 010 is 8 to some and 10 to others, so it is neither.
	if (parts.length !== 4 || !parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) < 256)) return;
	return parts.map(Number);
}

const words = (text: string) => (text === "" ? [] : text.split(":"));

function six(text: string): Bytes | undefined {
	const halves = text.split("::");
	if (halves.length > 2) return;
	const [head = [], tail = []] = halves.map(words);
	const missing = 8 - head.length - tail.length;
	if (halves.length === 2 ? missing < 1 : missing !== 0) return;
	const all = [...head, ...Array<string>(halves.length === 2 ? missing : 0).fill("0"), ...tail];
	if (!all.every((word) => /^[0-9a-f]{1,4}$/i.test(word))) return;
	return all.flatMap((word) => [Number.parseInt(word, 16) >> 8, Number.parseInt(word, 16) & 255]);
}

/** isMapped says whether an address is an IPv4 one that is written as IPv6. */
const isMapped = (bytes: Bytes) =>
	bytes.length === 16 && bytes.slice(0, 10).every((byte) => byte === 0) && bytes[10] === 255 && bytes[11] === 255;

function parse(text: string): Bytes | undefined {
	const bytes = text.includes(":") ? six(text) : four(text);
	return bytes && isMapped(bytes) ? bytes.slice(12) : bytes;
}

/** zeros is the longest run of zero words, the first of them: at, length. */
function zeros(list: number[]): [number, number] {
	let best: [number, number] = [-1, 1];
	for (let at = 0; at < list.length; at++) {
		let end = at;
		while (end < list.length && list[end] === 0) end++;
		if (end - at > best[1]) best = [at, end - at];
		at = Math.max(at, end - 1);
	}
	return best;
}

function print(bytes: Bytes): string {
	if (bytes.length === 4) return bytes.join(".");
	const list = Array.from({ length: 8 }, (_, n) => ((bytes[2 * n] ?? 0) << 8) | (bytes[2 * n + 1] ?? 0));
	const [at, length] = zeros(list);
	const hex = (part: number[]) => part.map((word) => word.toString(16)).join(":");
	return at < 0 ? hex(list) : `${hex(list.slice(0, at))}::${hex(list.slice(at + length))}`;
}

/** addressText is an address as the server writes it. */
export function addressText(text: string): string | undefined {
	const bytes = parse(text);
	return bytes && print(bytes);
}

/** networkText is a network as the server writes it: an address within it becomes its first one. */
export function networkText(text: string): string | undefined {
	const [address = "", length = "", more] = text.split("/");
	const bytes = address.includes(":") ? six(address) : four(address);
	if (!bytes || isMapped(bytes) || more !== undefined || !/^(0|[1-9]\d{0,2})$/.test(length)) return;
	const bits = Number(length);
	if (bits > bytes.length * 8) return;
	const first = bytes.map((byte, n) => byte & (0xff00 >> Math.min(8, Math.max(0, bits - 8 * n))) & 255);
	return `${print(first)}/${bits}`;
}

/** rangeText is two addresses of a family, the lower one first, as the server writes them. */
export function rangeText(text: string): string | undefined {
	const [from, to, more] = text.split("-").map((part) => parse(part.trim()));
	if (!from || !to || more || text.split("-").length !== 2 || from.length !== to.length) return;
	const differs = from.findIndex((byte, n) => byte !== to[n]);
	if (differs >= 0 && (from[differs] ?? 0) > (to[differs] ?? 0)) return;
	return `${print(from)}-${print(to)}`;
}

/** shortText is a network as people write it: one address without its length. */
export const shortText = (network: string) => network.replace(/^([^:]*)\/32$|^(.*:.*)\/128$/, "$1$2");
