/** networkOf is the network that an IPv4 address with its prefix length is in: "192.0.2.9/24" → "192.0.2.0/24". */
export function networkOf(address: string): string {
	const [local = "", length = "32"] = address.split("/");
	const bytes = local.split(".").map((byte, at) => {
		const bits = Math.min(8, Math.max(0, Number(length) - 8 * at));
		return Number(byte) & (256 - 2 ** (8 - bits));
	});
	return `${bytes.join(".")}/${length}`;
}
