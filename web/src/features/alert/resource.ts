import {
	type AlertChannel,
	type AlertChannelInputWritable,
	createAlertChannel,
	defineResource,
	deleteAlertChannel,
	flattened,
	getAlertChannel,
	listAlertChannels,
	updateAlertChannel,
} from "@api";
import { flatOf, nestedOf } from "./channel";

const nested = defineResource<AlertChannel, AlertChannelInputWritable>({
	path: "/alerts",
	tag: "alert",
	name: (channel) => channel.name,
	list: listAlertChannels,
	get: getAlertChannel,
	create: createAlertChannel,
	update: updateAlertChannel,
	remove: deleteAlertChannel,
});

export const channels = flattened(nested, flatOf, nestedOf);
