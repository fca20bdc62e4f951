import {
	createDnsRecord,
	createDnsZone,
	type DnsRecord,
	type DnsRecordInput,
	type DnsSettings,
	type DnsSettingsInput,
	type DnsZone,
	type DnsZoneInput,
	defineResource,
	defineSettings,
	deleteDnsRecord,
	deleteDnsZone,
	getDnsRecord,
	getDnsSettings,
	getDnsSettingsQueryKey,
	getDnsZone,
	listDnsRecords,
	listDnsZones,
	updateDnsRecord,
	updateDnsSettings,
	updateDnsZone,
} from "@api";
import { cutsOff } from "./risk";

/** bare is a complete name as people write it, without the dot at its end. */
export const bare = (name: string) => name.replace(/(.)\.$/, "$1");

export const records = defineResource<DnsRecord, DnsRecordInput>({
	path: "/dns/records",
	tag: "dns",
	component: "dns",
	name: (record) => bare(record.fqdn),
	list: listDnsRecords,
	get: getDnsRecord,
	create: createDnsRecord,
	update: updateDnsRecord,
	remove: deleteDnsRecord,
});

export const zones = defineResource<DnsZone, DnsZoneInput>({
	path: "/dns/zones",
	tag: "dns",
	component: "dns",
	name: (zone) => zone.name,
	list: listDnsZones,
	get: getDnsZone,
	create: createDnsZone,
	update: updateDnsZone,
	remove: deleteDnsZone,
});

export const settings = defineSettings<DnsSettings, DnsSettingsInput>({
	tag: "dns",
	component: "dns",
	risky: cutsOff,
	key: getDnsSettingsQueryKey(),
	get: getDnsSettings,
	update: updateDnsSettings,
});
