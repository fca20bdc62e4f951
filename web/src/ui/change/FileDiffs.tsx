import type { IntentFile } from "@api";
import type { ReactNode } from "react";
import { serviceName } from "../service";
import { useTranslation } from "../translation";
import { UnifiedDiff } from "./UnifiedDiff";
import { countOf, parseDiff } from "./unifiedDiff";

interface Props {
	files: IntentFile[];
	/** Each opens with a press. */
	folded?: boolean;
}

/** FileDiffs shows what happens to each daemon's files, one under the other. */
export function FileDiffs({ files, folded = false }: Props) {
	const { t } = useTranslation("ui");
	return (
		<div className="gw-files">
			{files.map(({ component, path, diff }) => {
				const { added, removed } = countOf(parseDiff(diff));
				const head = (
					<h3>
						<span>{serviceName(component)}</span>
						<code>{path}</code>
						<span className="gw-files-count">{t("change.count", { added, removed })}</span>
					</h3>
				);
				return (
					<Fold key={`${component} ${path}`} folded={folded} head={head}>
						<UnifiedDiff diff={diff} label={t("change.diffOf", { path })} />
					</Fold>
				);
			})}
		</div>
	);
}

function Fold({ folded, head, children }: { folded: boolean; head: ReactNode; children: ReactNode }) {
	if (!folded)
		return (
			<div>
				{head}
				{children}
			</div>
		);
	return (
		<details className="gw-files-fold">
			<summary>{head}</summary>
			{children}
		</details>
	);
}
