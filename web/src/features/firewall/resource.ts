import {
	createFirewallAddressObject,
	createFirewallAssertion,
	createFirewallService,
	createFirewallZone,
	defineResource,
	deleteFirewallAddressObject,
	deleteFirewallAssertion,
	deleteFirewallService,
	deleteFirewallZone,
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
	listFirewallAddressObjects,
	listFirewallAssertions,
	listFirewallServices,
	listFirewallZones,
	updateFirewallAddressObject,
	updateFirewallAssertion,
	updateFirewallService,
	updateFirewallZone,
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
