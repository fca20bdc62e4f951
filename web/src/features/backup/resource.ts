import {
	ApiError,
	type BackupTarget,
	type BackupTargetInputWritable,
	createBackupTarget,
	defineResource,
	deleteBackupTarget,
	getBackupTarget,
	listBackupTargets,
	updateBackupTarget,
} from "@api";
import { type Flat, flatOf, nestedOf } from "./target";

type Answer<T> = { data: T; response: Response };

const flat = ({ data, response }: Answer<BackupTarget>) => ({ data: flatOf(data), response });

/** saved has what is wrong with a setting stand at its field. */
async function saved(answer: Promise<Answer<BackupTarget>>) {
	try {
		return flat(await answer);
	} catch (error) {
		if (!(error instanceof ApiError)) throw error;
		throw error.with({
			fields: error.fields.map((one) => ({ ...one, field: one.field.replace(/^settings\./, "") })),
		});
	}
}

export const targets = defineResource<BackupTarget & Flat, BackupTargetInputWritable & Flat>({
	path: "/backup-targets",
	tag: "backup",
	name: (target) => target.name,
	list: async (options) => {
		const { data, response } = await listBackupTargets(options);
		return { data: data.map(flatOf), response };
	},
	get: async (options) => flat(await getBackupTarget(options)),
	create: ({ body, headers }) => saved(createBackupTarget({ body: nestedOf(body), headers })),
	update: ({ path, body, headers }) => saved(updateBackupTarget({ path, body: nestedOf(body), headers })),
	remove: deleteBackupTarget,
});
