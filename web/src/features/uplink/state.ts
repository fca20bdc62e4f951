import type { Uplink, UplinkReport, UplinkStatus } from "@api";

/** liveOf is what the monitor says of an uplink. */
export const liveOf = (uplink: Uplink, live: UplinkReport | undefined): UplinkStatus | undefined =>
	live?.uplinks.find(({ id }) => id === uplink.id);
