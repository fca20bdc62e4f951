import {
	createFirewallAddressObject,
	createFirewallAssertion,
	createFirewallService,
	createFirewallZone,
	createNetworkInterface,
	defineResource,
	deleteFirewallAddressObject,
	deleteFirewallAssertion,
	deleteFirewallService,
	deleteFirewallZone,
	deleteNetworkInterface,
	type FirewallAddress,
	type FirewallAddressInput,
	type FirewallAssertion,
	type FirewallAssertionInput,
	type FirewallService,
	type FirewallServiceInput,
	type FirewallZone,
	type FirewallZoneInput,
	getFirewallAddressObject,
	getFirewallAssertion,
	getFirewallService,
	getFirewallZone,
	getNetworkInterface,
	listFirewallAddressObjects,
	listFirewallAssertions,
	listFirewallServices,
	listFirewallZones,
	listNetworkInterfaces,
	type NetworkInterface,
	type NetworkInterfaceInput,
	updateFirewallAddressObject,
	updateFirewallAssertion,
	updateFirewallService,
	updateFirewallZone,
	updateNetworkInterface,
} from "@api";
import { filtering } from "./filtering";
import { type Served, served, serving } from "./service";

export const zones = defineResource<FirewallZone, FirewallZoneInput>({
	...filtering,
	path: "/firewall/zones",
	name: (zone) => zone.name,
	list: listFirewallZones,
	get: getFirewallZone,
	create: createFirewallZone,
	update: updateFirewallZone,
	remove: deleteFirewallZone,
});

/** interfaces of this node, with their zones. Their rows are package network's, what they change is the filter. */
export const interfaces = defineResource<NetworkInterface, NetworkInterfaceInput>({
	tag: "network",
	component: "firewall",
	path: "/network-interfaces",
	name: (link) => link.name,
	// Another zone for an interface changes who is let in there.
	risky: (before, body) => Boolean(before) && before?.role !== (body?.role ?? null),
	list: listNetworkInterfaces,
	get: getNetworkInterface,
	create: createNetworkInterface,
	update: updateNetworkInterface,
	remove: deleteNetworkInterface,
});

export const addresses = defineResource<FirewallAddress, FirewallAddressInput>({
	...filtering,
	path: "/firewall/address-objects",
	name: (address) => address.name,
	list: listFirewallAddressObjects,
	get: getFirewallAddressObject,
	create: createFirewallAddressObject,
	update: updateFirewallAddressObject,
	remove: deleteFirewallAddressObject,
});

export const services = defineResource<FirewallService, FirewallServiceInput>({
	...filtering,
	path: "/firewall/services",
	name: (service) => service.name,
	list: listFirewallServices,
	get: getFirewallService,
	create: createFirewallService,
	update: updateFirewallService,
	remove: deleteFirewallService,
});

export const assertions = defineResource<Served<FirewallAssertion>, Served<FirewallAssertionInput>>({
	...filtering,
	path: "/firewall/assertions",
	name: (assertion) => assertion.name,
	list: async (options) => served(await listFirewallAssertions(options)),
	get: async (options) => served(await getFirewallAssertion(options)),
	create: async ({ body, headers }) => served(await createFirewallAssertion({ body: serving(body), headers })),
	update: async ({ path, body, headers }) =>
		served(await updateFirewallAssertion({ path, body: serving(body), headers })),
	remove: deleteFirewallAssertion,
});
