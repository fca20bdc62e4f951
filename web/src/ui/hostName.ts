/** foreign is a host name, or a part of one, with letters that it is not stored with. */
const foreign = /^(?=.*[^ -~])[\p{L}\p{M}\p{N}.*_-]+$/u;

/** ascii is a host name as the server stores it: "bücher.example" → "xn--bcher-kva.example"; any other text as it is. */
export const ascii = (name: string): string =>
	foreign.test(name) && URL.canParse(`http://${name}`) ? new URL(`http://${name}`).hostname : name;
