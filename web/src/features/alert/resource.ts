import {
	type AlertChannel,
	type AlertChannelInputWritable,
	ApiError,
	createAlertChannel,
	defineResource,
	deleteAlertChannel,
	getAlertChannel,
	listAlertChannels,
	updateAlertChannel,
} from "@api";
import { type Flat, flatOf, nestedOf } from "./channel";

type Answer<T> = { data: T; response: Response };

const flat = ({ data, response }: Answer<AlertChannel>) => ({ data: flatOf(data), response });

/** saved has what is wrong with a setting stand at its field. */
async function saved(answer: Promise<Answer<AlertChannel>>) {
	try {
		return flat(await answer);
	} catch (error) {
		if (!(error instanceof ApiError)) throw error;
		throw error.with({
			fields: error.fields.map((one) => ({ ...one, field: one.field.replace(/^settings\./, "") })),
		});
	}
}

export const channels = defineResource<AlertChannel & Flat, AlertChannelInputWritable & Flat>({
	path: "/alerts",
	tag: "alert",
	name: (channel) => channel.name,
	list: async (options) => {
		const { data, response } = await listAlertChannels(options);
		return { data: data.map(flatOf), response };
	},
	get: async (options) => flat(await getAlertChannel(options)),
	create: ({ body, headers }) => saved(createAlertChannel({ body: nestedOf(body), headers })),
	update: ({ path, body, headers }) => saved(updateAlertChannel({ path, body: nestedOf(body), headers })),
	remove: deleteAlertChannel,
});
