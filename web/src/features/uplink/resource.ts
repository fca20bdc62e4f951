import {
	createUplink,
	createUplinkGroup,
	createUplinkMember,
	defineResource,
	deleteUplink,
	deleteUplinkGroup,
	deleteUplinkMember,
	getUplink,
	getUplinkGroup,
	getUplinkMember,
	listUplinkGroups,
	listUplinkMembers,
	listUplinks,
	type Uplink,
	type UplinkGroup,
	type UplinkGroupInput,
	type UplinkInput,
	type UplinkMember,
	type UplinkMemberInput,
	updateUplink,
	updateUplinkGroup,
	updateUplinkMember,
} from "@api";

/** uplinked is what all resources of uplinks have in common. Each may move the way back to the administrator. */
export const uplinked = { tag: "uplink", component: "uplink", risky: () => true } as const;

export const uplinks = defineResource<Uplink, UplinkInput>({
	...uplinked,
	path: "/uplinks",
	name: (uplink) => uplink.name,
	list: listUplinks,
	get: getUplink,
	create: createUplink,
	update: updateUplink,
	remove: deleteUplink,
});

export const groups = defineResource<UplinkGroup, UplinkGroupInput>({
	...uplinked,
	path: "/uplink-groups",
	name: (group) => group.name,
	list: listUplinkGroups,
	get: getUplinkGroup,
	create: createUplinkGroup,
	update: updateUplinkGroup,
	remove: deleteUplinkGroup,
});

/** membersNamed are the members of groups; names gives the name of an uplink by its id. */
export const membersNamed = (names: (id: string) => string) =>
	defineResource<UplinkMember, UplinkMemberInput>({
		...uplinked,
		path: "/uplink-members",
		name: (member) => names(member.uplink_id),
		list: listUplinkMembers,
		get: getUplinkMember,
		create: createUplinkMember,
		update: updateUplinkMember,
		remove: deleteUplinkMember,
	});
