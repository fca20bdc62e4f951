import {
	createRadiusClient,
	createRadiusUser,
	defineResource,
	defineSettings,
	deleteRadiusClient,
	deleteRadiusUser,
	getRadiusClient,
	getRadiusSettings,
	getRadiusSettingsQueryKey,
	getRadiusUser,
	listRadiusClients,
	listRadiusUsers,
	type RadiusClient,
	type RadiusClientInputWritable,
	type RadiusSettings,
	type RadiusSettingsInput,
	type RadiusUser,
	type RadiusUserInputWritable,
	updateRadiusClient,
	updateRadiusSettings,
	updateRadiusUser,
} from "@api";

export const clients = defineResource<RadiusClient, RadiusClientInputWritable>({
	path: "/radius/clients",
	tag: "radius",
	component: "radius",
	name: (client) => client.name,
	list: listRadiusClients,
	get: getRadiusClient,
	create: createRadiusClient,
	update: updateRadiusClient,
	remove: deleteRadiusClient,
});

export const users = defineResource<RadiusUser, RadiusUserInputWritable>({
	path: "/radius/users",
	tag: "radius",
	component: "radius",
	name: (user) => user.name,
	list: listRadiusUsers,
	get: getRadiusUser,
	create: createRadiusUser,
	update: updateRadiusUser,
	remove: deleteRadiusUser,
});

export const settings = defineSettings<RadiusSettings, RadiusSettingsInput>({
	tag: "radius",
	component: "radius",
	key: getRadiusSettingsQueryKey(),
	get: getRadiusSettings,
	update: updateRadiusSettings,
});
