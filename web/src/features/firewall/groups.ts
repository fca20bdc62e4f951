import {
	createFirewallAddressGroup,
	createFirewallAddressMemberOf,
	createFirewallServiceGroup,
	createFirewallServiceMemberOf,
	defineResource,
	deleteFirewallAddressGroup,
	deleteFirewallAddressMemberOf,
	deleteFirewallServiceGroup,
	deleteFirewallServiceMemberOf,
	type FirewallGroup,
	type FirewallGroupInput,
	type FirewallMember,
	type FirewallMemberInput,
	getFirewallAddressGroup,
	getFirewallAddressGroupOptions,
	getFirewallAddressMemberOf,
	getFirewallServiceGroup,
	getFirewallServiceGroupOptions,
	getFirewallServiceMemberOf,
	listFirewallAddressGroups,
	listFirewallAddressGroupUsesOptions,
	listFirewallAddressMembersOf,
	listFirewallServiceGroups,
	listFirewallServiceGroupUsesOptions,
	listFirewallServiceMembersOf,
	type Resource,
	updateFirewallAddressGroup,
	updateFirewallAddressMemberOf,
	updateFirewallServiceGroup,
	updateFirewallServiceMemberOf,
} from "@api";
import { filtering } from "./filtering";

const name = (row: { name: string }) => row.name;

export const addressGroups = defineResource<FirewallGroup, FirewallGroupInput>({
	...filtering,
	path: "/firewall/address-groups",
	name,
	list: listFirewallAddressGroups,
	get: getFirewallAddressGroup,
	create: createFirewallAddressGroup,
	update: updateFirewallAddressGroup,
	remove: deleteFirewallAddressGroup,
});

export const serviceGroups = defineResource<FirewallGroup, FirewallGroupInput>({
	...filtering,
	path: "/firewall/service-groups",
	name,
	list: listFirewallServiceGroups,
	get: getFirewallServiceGroup,
	create: createFirewallServiceGroup,
	update: updateFirewallServiceGroup,
	remove: deleteFirewallServiceGroup,
});

type Members = Resource<FirewallMember, FirewallMemberInput>;

/** addressMembers are the addresses of a group, in pages: there may be a hundred thousand. */
export const addressMembers = (id: string): Members => ({
	...filtering,
	path: `/firewall/address-groups/${id}/members`,
	name,
	list: (options) => listFirewallAddressMembersOf({ path: { id }, ...options }),
	get: ({ path: { id: item } }) => getFirewallAddressMemberOf({ path: { id, item } }),
	create: ({ body, headers }) => createFirewallAddressMemberOf({ path: { id }, body, headers }),
	update: ({ path: { id: item }, body, headers }) =>
		updateFirewallAddressMemberOf({ path: { id, item }, body, headers }),
	remove: ({ path: { id: item }, headers }) => deleteFirewallAddressMemberOf({ path: { id, item }, headers }),
});

/** serviceMembers are the services of a group. */
export const serviceMembers = (id: string): Members => ({
	...filtering,
	path: `/firewall/service-groups/${id}/members`,
	name,
	list: (options) => listFirewallServiceMembersOf({ path: { id }, ...options }),
	get: ({ path: { id: item } }) => getFirewallServiceMemberOf({ path: { id, item } }),
	create: ({ body, headers }) => createFirewallServiceMemberOf({ path: { id }, body, headers }),
	update: ({ path: { id: item }, body, headers }) =>
		updateFirewallServiceMemberOf({ path: { id, item }, body, headers }),
	remove: ({ path: { id: item }, headers }) => deleteFirewallServiceMemberOf({ path: { id, item }, headers }),
});

/** The two kinds of groups differ in what is in them. */
export const addressKind = {
	page: "/objects/address-groups",
	tab: "groups",
	groups: addressGroups,
	members: addressMembers,
	one: (id: string) => getFirewallAddressGroupOptions({ path: { id } }),
	uses: (id: string) => listFirewallAddressGroupUsesOptions({ path: { id } }),
};

export const serviceKind = {
	page: "/objects/service-groups",
	tab: "service-groups",
	groups: serviceGroups,
	members: serviceMembers,
	one: (id: string) => getFirewallServiceGroupOptions({ path: { id } }),
	uses: (id: string) => listFirewallServiceGroupUsesOptions({ path: { id } }),
};
