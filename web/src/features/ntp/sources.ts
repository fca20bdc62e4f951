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
