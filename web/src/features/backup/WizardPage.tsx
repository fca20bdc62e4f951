import "./backup.css";
import { useParams } from "@tanstack/react-router";
import { ErrorState, Page, Waiting } from "@ui";
import { useTranslation } from "@ui/translation";
import { usePreview } from "./requests";
import { Wizard } from "./Wizard";

/** WizardPage restores a backup: what it would change, which network cards it needs, and what happens then. */
export default function WizardPage() {
	const { t } = useTranslation("backup");
	const { id = "" } = useParams({ strict: false }) as { id?: string };
	const { data, error, refetch } = usePreview(id);
	return (
		<Page
			title={t("wizard.title")}
			description={t("wizard.lead")}
			breadcrumbs={[{ title: t("title"), to: "/backups" }]}
		>
			<div className="gw-panel">
				{data && <Wizard id={id} preview={data} />}
				{!data && error && <ErrorState error={error} retry={() => void refetch()} />}
				{!data && !error && (
					<>
						<p role="status">{t("wizard.reading")}</p>
						<Waiting height="16rem" />
					</>
				)}
			</div>
		</Page>
	);
}
