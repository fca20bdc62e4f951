import {
	createNetworkAddress,
	createNetworkInterface,
	createNetworkRoute,
	defineResource,
	deleteNetworkAddress,
	deleteNetworkInterface,
	deleteNetworkRoute,
	getNetworkAddress,
	getNetworkInterface,
	getNetworkRoute,
	listNetworkAddressesOf,
	listNetworkInterfaces,
	listNetworkRoutes,
	type NetworkAddress,
	type NetworkAddressInput,
	type NetworkInterface,
	type NetworkInterfaceInput,
	type NetworkRoute,
	type NetworkRouteInput,
	updateNetworkAddress,
	updateNetworkInterface,
	updateNetworkRoute,
} from "@api";
import { networked } from "./networked";
import { addressRisk, interfaceRisk, routeRisk } from "./risk";

export const interfaces = defineResource<NetworkInterface, NetworkInterfaceInput>({
	...networked,
	path: "/network-interfaces",
	name: (link) => link.name,
	risky: interfaceRisk,
	list: listNetworkInterfaces,
	get: getNetworkInterface,
	create: createNetworkInterface,
	update: updateNetworkInterface,
	remove: deleteNetworkInterface,
});

/** addressesOf are the addresses of one interface; what is saved belongs to it without being asked. */
export const addressesOf = (owner: string) =>
	defineResource<NetworkAddress, NetworkAddressInput>({
		...networked,
		path: "/ip-addresses",
		of: owner,
		name: ({ address, prefix }) => `${address}/${prefix}`,
		risky: addressRisk,
		list: ({ query, signal }) => listNetworkAddressesOf({ path: { id: owner }, query, signal }),
		get: getNetworkAddress,
		create: ({ body, headers }) => createNetworkAddress({ body: { ...body, interface_id: owner }, headers }),
		update: ({ path, body, headers }) =>
			updateNetworkAddress({ path, body: { ...body, interface_id: owner }, headers }),
		remove: deleteNetworkAddress,
	});

export const routes = defineResource<NetworkRoute, NetworkRouteInput>({
	...networked,
	path: "/routes",
	name: (route) => route.destination,
	risky: routeRisk,
	list: listNetworkRoutes,
	get: getNetworkRoute,
	create: createNetworkRoute,
	update: updateNetworkRoute,
	remove: deleteNetworkRoute,
});

/** routeInput is a route as an update takes it. */
export function routeInput(route: NetworkRoute): NetworkRouteInput {
	const { id: _, revision: __, created_at: ___, updated_at: ____, metric, type, ...rest } = route;
	return { ...rest, metric: metric ?? undefined, type: type as NetworkRouteInput["type"] };
}
