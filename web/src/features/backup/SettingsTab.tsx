import { useCan } from "@api";
import { zBackupSettingsInput, zSystemRetention } from "@api/schemas";
import { Card, CardBody, CardTitle } from "@patternfly/react-core";
import { type Field, type FormSchema, formatNumber, Loaded, PropertyList, SchemaForm, toast } from "@ui";
import { useTranslation } from "@ui/translation";
import * as z from "zod/mini";
import { PassphraseForm } from "./PassphraseForm";
import { type Plan, useRetention, useSavePlan, useSettings } from "./requests";

const schema = z.object({ ...zBackupSettingsInput.shape, backups: zSystemRetention.shape.backups }) as FormSchema;
const fields: Field[] = [
	{ name: "daily" },
	{ name: "verify" },
	{ name: "backups", unit: "copies", presets: [7, 14, 30] },
];

type Stored = Plan & { revision: number };

/** SettingsTab is when backups are made, how many stay, and what opens them. */
export default function SettingsTab() {
	const { t } = useTranslation("backup");
	const admin = useCan("admin");
	const settings = useSettings();
	const kept = useRetention();
	const both = {
		data: settings.data && kept.data && { ...settings.data, ...kept.data },
		error: settings.error ?? kept.error,
		refetch: () => Promise.all([settings.refetch(), kept.refetch()]),
	};
	return (
		<div className="gw-backup-settings">
			<Card isCompact>
				<CardTitle component="h2">{t("settings.plan")}</CardTitle>
				<CardBody>
					<Loaded query={both}>
						{(stored) => (admin ? <PlanForm stored={stored} /> : <PlanView stored={stored} />)}
					</Loaded>
				</CardBody>
			</Card>
			<Card isCompact>
				<CardTitle component="h2">{t("passphrase.heading")}</CardTitle>
				<CardBody>
					<PassphraseForm />
				</CardBody>
			</Card>
		</div>
	);
}

function PlanForm({ stored }: { stored: Stored }) {
	const { t } = useTranslation("backup");
	const { revision, backups } = stored;
	const { mutateAsync: save } = useSavePlan(revision, backups);
	return (
		<SchemaForm
			key={`${revision} ${backups}`}
			schema={schema}
			ns="backup"
			fields={fields}
			initial={stored}
			submit={(plan: Plan) => save(plan)}
			onDone={() => toast.success(t("settings.saved"))}
			submitLabel={t("settings.save")}
		/>
	);
}

function PlanView({ stored }: { stored: Stored }) {
	const { t } = useTranslation("backup");
	const on = (is: boolean) => t(is ? "settings.on" : "settings.off");
	return (
		<PropertyList
			items={[
				[t("field.daily"), on(stored.daily)],
				[t("field.verify"), on(stored.verify)],
				[t("field.backups"), formatNumber(stored.backups)],
			]}
		/>
	);
}
