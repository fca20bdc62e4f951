import "./proxy.css";
import type { ChangeBatchResult, Done } from "@api";
import { later, Page, Waiting } from "@ui";
import { useTranslation } from "@ui/translation";
import { Suspense, useState } from "react";
import { PublishWizard } from "./PublishWizard";
import type { Ids, Values } from "./publish";

const Published = later("published", () => import("./Published"));

/** Result is a site that was published. */
export interface Result {
	values: Values;
	ids: Ids;
	done: Done<ChangeBatchResult>;
}

/** PublishPage makes a site in four steps: its name, where it runs, its certificate, and a look at all of it. */
export default function PublishPage() {
	const { t } = useTranslation("proxy");
	const [result, setResult] = useState<Result>();
	return (
		<Page
			title={t("publish.title")}
			description={result ? undefined : t("publish.lead")}
			breadcrumbs={[{ title: t("title"), to: "/proxy" }]}
		>
			<div className="gw-panel gw-publish">
				{result ? (
					<Suspense fallback={<Waiting height="12rem" />}>
						<Published result={result} onUndone={() => setResult(undefined)} />
					</Suspense>
				) : (
					<PublishWizard onDone={setResult} />
				)}
			</div>
		</Page>
	);
}
