import {
	createDhcpReservation,
	createDhcpSubnet,
	type DhcpReservation,
	type DhcpReservationInput,
	type DhcpSettings,
	type DhcpSettingsInput,
	type DhcpSubnet,
	type DhcpSubnetInput,
	defineResource,
	defineSettings,
	deleteDhcpReservation,
	deleteDhcpSubnet,
	getDhcpReservation,
	getDhcpSettings,
	getDhcpSettingsQueryKey,
	getDhcpSubnet,
	listDhcpReservations,
	listDhcpSubnets,
	updateDhcpReservation,
	updateDhcpSettings,
	updateDhcpSubnet,
} from "@api";

export const subnets = defineResource<DhcpSubnet, DhcpSubnetInput>({
	path: "/dhcp/subnets",
	tag: "dhcp",
	component: "dhcp",
	name: (subnet) => subnet.subnet,
	list: listDhcpSubnets,
	get: getDhcpSubnet,
	create: createDhcpSubnet,
	update: updateDhcpSubnet,
	remove: deleteDhcpSubnet,
});

export const reservations = defineResource<DhcpReservation, DhcpReservationInput>({
	path: "/dhcp/reservations",
	tag: "dhcp",
	component: "dhcp",
	name: (one) => one.hostname || one.address,
	list: listDhcpReservations,
	get: getDhcpReservation,
	create: createDhcpReservation,
	update: updateDhcpReservation,
	remove: deleteDhcpReservation,
});

export const settings = defineSettings<DhcpSettings, DhcpSettingsInput>({
	tag: "dhcp",
	component: "dhcp",
	key: getDhcpSettingsQueryKey(),
	get: getDhcpSettings,
	update: updateDhcpSettings,
});
