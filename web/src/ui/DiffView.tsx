import { Skeleton } from "@patternfly/react-core";
import { Suspense } from "react";
import { later } from "./later";
import { useTranslation } from "./translation";

export interface DiffViewProps {
	before: string;
	after: string;
	/** What is compared, for screen readers. */
	label: string;
}

const Editor = later("diff", () => import("./DiffEditor"));

/** DiffView shows two texts side by side, or one under the other when narrow; unchanged parts are folded. */
export function DiffView(props: DiffViewProps) {
	const { t } = useTranslation("ui");
	return (
		<Suspense fallback={<Skeleton height="12rem" screenreaderText={t("loading")} />}>
			<Editor {...props} />
		</Suspense>
	);
}
