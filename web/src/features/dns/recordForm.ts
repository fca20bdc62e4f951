import { zDnsRecordInput } from "@api/schemas";
import { type FormSpec, useUrlState } from "@ui";
import { useZoneChoices } from "./requests";

export const form: FormSpec = {
	schema: zDnsRecordInput,
	useInitial,
	fields: [
		{ name: "zone_id", kind: "choice", useChoices: useZoneChoices },
		{ name: "name", focus: true },
		{ name: "type" },
		{ name: "value", hintBy: "type" },
		{ name: "ttl", narrow: true },
	],
};

/** useInitial begins in the zone that the list shows, or the only one there is. */
function useInitial() {
	const zones = useZoneChoices();
	const [{ filter }] = useUrlState();
	const zone_id = filter?.replace(/^zone_id:/, "") ?? (zones.length === 1 ? zones[0]?.value : undefined);
	return { type: "A", ttl: 3600, zone_id };
}
