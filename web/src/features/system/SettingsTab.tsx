import { useCan } from "@api";
import { Card, CardBody, CardTitle } from "@patternfly/react-core";
import { Loaded, later, PropertyList, Waiting } from "@ui";
import { useTranslation } from "@ui/translation";
import { unitText } from "@ui/units";
import { Suspense } from "react";
import { FlagRow } from "./FlagRow";
import { flagNames } from "./flags";
import { RetentionForm } from "./RetentionForm";
import { useRetention } from "./requests";

// Forms and tables are heavy, each for itself.
const KeptTable = later("system kept", () => import("./KeptTable"));

/** SettingsTab is what the node does by itself, and how much it remembers. Viewers read it. */
export default function SettingsTab() {
	const { t } = useTranslation("system");
	const admin = useCan("admin");
	const retention = useRetention();
	return (
		<div className="gw-system-settings">
			<Card isCompact>
				<CardTitle component="h2">{t("settings.operation")}</CardTitle>
				<CardBody>
					{flagNames.map((name) => (
						<FlagRow key={name} name={name} admin={admin} />
					))}
				</CardBody>
			</Card>
			<Card isCompact>
				<CardTitle component="h2">{t("settings.retention")}</CardTitle>
				<CardBody>
					<Loaded query={retention}>
						{(kept) =>
							admin ? (
								<RetentionForm key={kept.audit_days} kept={kept} />
							) : (
								<PropertyList items={[[t("field.audit_days"), unitText("days", kept.audit_days)]]} />
							)
						}
					</Loaded>
				</CardBody>
			</Card>
			<Card isCompact>
				<CardTitle component="h2">{t("kept.title")}</CardTitle>
				<CardBody>
					<Suspense fallback={<Waiting height="12rem" />}>
						<KeptTable />
					</Suspense>
				</CardBody>
			</Card>
		</div>
	);
}
