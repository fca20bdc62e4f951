import { zBackupTargetInputWritable, zBackupTargetSettingsWritable } from "@api/schemas";
import type { FormSchema, FormSpec } from "@ui";
import * as z from "zod/mini";

const s3 = { when: { kind: ["s3"] }, section: "place" };
const sftp = { when: { kind: ["sftp"] }, section: "place" };
const hidden = { kind: "password", required: false, autoComplete: "off" } as const;

export const form: FormSpec = {
	schema: z.object({ ...zBackupTargetInputWritable.shape, ...zBackupTargetSettingsWritable.shape }) as FormSchema,
	fields: [
		{ name: "kind", focus: true, initial: "s3", section: "place" },
		{ name: "name", required: false, section: "place" },
		{ name: "endpoint", required: true, ...s3 },
		{ name: "bucket", required: true, ...s3 },
		{ name: "access_key", required: true, autoComplete: "off", ...s3 },
		{ name: "secret_key", ...hidden, required: true, ...s3 },
		{ name: "region", required: false, ...s3 },
		{ name: "path_prefix", required: false, ...s3 },
		{ name: "https", initial: true, ...s3 },
		{ name: "host", required: true, ...sftp },
		{ name: "username", required: true, autoComplete: "off", ...sftp },
		{ name: "port", required: false, narrow: true, initial: 22, ...sftp },
		{ name: "password", ...hidden, ...sftp },
		{ name: "private_key", kind: "textarea", required: false, autoComplete: "off", ...sftp },
		{ name: "remote_dir", required: false, ...sftp },
		{ name: "host_key_fingerprint", required: false, wide: true, ...sftp },
		{ name: "keep", required: false, unit: "copies", presets: [7, 14, 30], section: "keeping" },
		{ name: "active", initial: true, section: "keeping" },
	],
};
