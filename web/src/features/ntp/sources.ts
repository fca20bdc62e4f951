import type { NtpSourceStatus } from "@api";
import type { Status } from "@ui";

type State = NtpSourceStatus["state"];

/** From the best to the worst. */
const order: State[] = ["selected", "combined", "selectable", "variable", "falseticker", "unusable"];

export const looks: Record<State | "none", Status> = {
	selected: "success",
	combined: "success",
	selectable: "info",
	variable: "warning",
	falseticker: "danger",
	unusable: "neutral",
	none: "neutral",
};

const host = (name: string) => name.toLowerCase().replace(/\.$/, "");

/** serversOf are the servers that came out of one configured source, the best first. */
export const serversOf = (sources: NtpSourceStatus[], address: string) =>
	sources
		.filter((one) => host(one.name) === host(address) || one.address === address)
		.toSorted((a, b) => order.indexOf(a.state) - order.indexOf(b.state));

/** answered is how many of the last eight questions were. */
export const answered = (reach: number) => [...(reach & 255).toString(2)].filter((bit) => bit === "1").length;

const units: [number, string][] = [
	[1, "s"],
	[1e-3, "ms"],
	[1e-6, "µs"],
	[1e-9, "ns"],
];

/** smallTime words a part of a second: 0.00123 → "1.23 ms". */
export function smallTime(seconds: number, format: (value: number, digits: number) => string): string {
	const size = Math.abs(seconds);
	const [unit, name] = units.find(([one]) => size >= one) ?? units.at(-1)!;
	const value = seconds / unit;
	return `${format(value, Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2)} ${name}`;
}
