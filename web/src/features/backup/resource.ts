import {
	type BackupTarget,
	type BackupTargetInputWritable,
	createBackupTarget,
	defineResource,
	deleteBackupTarget,
	flattened,
	getBackupTarget,
	listBackupTargets,
	updateBackupTarget,
} from "@api";
import { flatOf, nestedOf } from "./target";

const nested = defineResource<BackupTarget, BackupTargetInputWritable>({
	path: "/backup-targets",
	tag: "backup",
	name: (target) => target.name,
	list: listBackupTargets,
	get: getBackupTarget,
	create: createBackupTarget,
	update: updateBackupTarget,
	remove: deleteBackupTarget,
});

export const targets = flattened(nested, flatOf, nestedOf);
