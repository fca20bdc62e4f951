import { zDnsRecordInput } from "@api/schemas";
import { type FormSpec, useUrlState } from "@ui";
import { useZoneChoices } from "./requests";

export const form: FormSpec = {
	schema: zDnsRecordInput,
	useInitial,
	fields: [
		{ name: "zone_id", kind: "choice", useChoices: useZoneChoices, section: "record" },
		{ name: "type", initial: "A", section: "record" },
		{ name: "value", hintBy: "type", section: "record" },
		{ name: "name", focus: true, section: "record" },
		{ name: "ttl", initial: 3600, unit: "seconds", presets: [300, 3600, 86_400], section: "advanced" },
	],
};

/** useInitial begins in the zone that the list shows, or the only one there is. */
function useInitial() {
	const zones = useZoneChoices();
	const [{ filter }] = useUrlState();
	const zone_id = filter?.replace(/^zone_id:/, "") ?? (zones.length === 1 ? zones[0]?.value : undefined);
	return { zone_id };
}
