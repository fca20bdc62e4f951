import type { SystemRetention } from "@api";
import { zSystemRetention } from "@api/schemas";
import { type Field, SchemaForm, toast, useErrorText } from "@ui";
import { useTranslation } from "react-i18next";
import { useSetRetention } from "./requests";

const fields: Field[] = [
	{ name: "backups", unit: "copies", presets: [7, 14, 30] },
	{ name: "audit_days", unit: "days", presets: [90, 365, 1095] },
];

/** RetentionForm says how much history the node keeps. */
export function RetentionForm({ kept }: { kept: SystemRetention }) {
	const { t } = useTranslation("system");
	const text = useErrorText();
	const { mutateAsync: save } = useSetRetention();
	const back = () =>
		void save(kept).then(
			() => toast.success(t("settings.saved")),
			(error) => toast.danger(t("failed"), { detail: text(error) }),
		);
	const changed = (now: SystemRetention) => now.backups !== kept.backups || now.audit_days !== kept.audit_days;
	return (
		<SchemaForm
			schema={zSystemRetention}
			ns="system"
			fields={fields}
			initial={kept}
			submit={(body: SystemRetention) => save(body)}
			onDone={(now) => toast.success(t("settings.saved"), { undo: changed(now) ? back : undefined })}
			submitLabel={t("settings.save")}
			wide
		/>
	);
}
