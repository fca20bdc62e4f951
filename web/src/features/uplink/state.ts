import type { Uplink, UplinkReport, UplinkStatus } from "@api";
import type { Status } from "@ui";

export type UplinkState = UplinkStatus["state"] | "off";

export const looks: Record<UplinkState, Status> = {
	up: "success",
	unmonitored: "neutral",
	unknown: "neutral",
	loss: "danger",
	slow: "danger",
	down: "danger",
	no_carrier: "danger",
	off: "neutral",
};

/** liveOf is what the monitor says of an uplink. */
export const liveOf = (uplink: Uplink, live: UplinkReport | undefined): UplinkStatus | undefined =>
	live?.uplinks.find(({ id }) => id === uplink.id);

/** stateOf is how an uplink is doing. */
export function stateOf(uplink: Uplink, live: UplinkReport | undefined): UplinkState {
	if (!uplink.active) return "off";
	return liveOf(uplink, live)?.state ?? "unknown";
}
