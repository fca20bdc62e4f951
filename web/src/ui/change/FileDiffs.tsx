import type { IntentFile } from "@api";
import { useTranslation } from "react-i18next";
import { serviceName } from "../service";
import { UnifiedDiff } from "./UnifiedDiff";
import { countOf, parseDiff } from "./unifiedDiff";

/** FileDiffs shows what happens to each daemon's files, one under the other. */
export function FileDiffs({ files }: { files: IntentFile[] }) {
	const { t } = useTranslation("ui");
	return (
		<div className="gw-files">
			{files.map(({ component, path, diff }) => {
				const { added, removed } = countOf(parseDiff(diff));
				return (
					<div key={`${component} ${path}`}>
						<h3>
							<span>{serviceName(component)}</span>
							<code>{path}</code>
							<span className="gw-files-count">{t("change.count", { added, removed })}</span>
						</h3>
						<UnifiedDiff diff={diff} label={t("change.diffOf", { path })} />
					</div>
				);
			})}
		</div>
	);
}
