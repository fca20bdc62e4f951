import type { SystemRetention } from "@api";
import { zSystemRetentionInput } from "@api/schemas";
import { type Field, SchemaForm, toast, useErrorText } from "@ui";
import { useTranslation } from "@ui/translation";
import { useSetRetention } from "./requests";

const fields: Field[] = [{ name: "audit_days", unit: "days", presets: [90, 365, 1095] }];

/** RetentionForm says how long the audit log is kept; how many backups stay is set where they are made. */
export function RetentionForm({ kept }: { kept: SystemRetention }) {
	const { t } = useTranslation("system");
	const text = useErrorText();
	const { mutateAsync: save } = useSetRetention();
	const back = () =>
		void save({ audit_days: kept.audit_days }).then(
			() => toast.success(t("settings.saved")),
			(error) => toast.danger(t("failed"), { detail: text(error) }),
		);
	const changed = (now: SystemRetention) => now.audit_days !== kept.audit_days;
	return (
		<SchemaForm
			schema={zSystemRetentionInput}
			ns="system"
			fields={fields}
			initial={kept}
			submit={({ audit_days }: SystemRetention) => save({ audit_days })}
			onDone={(now) => toast.success(t("settings.saved"), { undo: changed(now) ? back : undefined })}
			submitLabel={t("settings.save")}
			wide
		/>
	);
}
