import type { AuditEntry, LiveStatus } from "@api";
import { Button } from "@patternfly/react-core";
import { PauseIcon, PlayIcon } from "@patternfly/react-icons";
import { formatNumber } from "@ui";
import { useTranslation } from "@ui/translation";
import { ExportButtons } from "./ExportButtons";
import type { Filters } from "./filters";

interface Props {
	/** Undefined while filters are set: search results do not move. */
	status: LiveStatus | undefined;
	paused: boolean;
	setPaused: (paused: boolean) => void;
	entries: AuditEntry[];
	/** What is searched for. */
	filters: Filters;
	/** Whether the entries could be read; undefined while that is not known yet. */
	known: boolean | undefined;
	/** There are more entries than those that were loaded. */
	more: boolean;
}

/** StatusBar says whether the log is live, lets it pause, and exports what fits the filters. */
export function StatusBar({ status, paused, setPaused, entries, filters, known, more }: Props) {
	const { t } = useTranslation("audit");
	const state = status === undefined ? "search" : paused ? "paused" : status;
	const count = { count: entries.length, shown: formatNumber(entries.length) };
	return (
		<div className="gw-audit-status">
			<span role="status" className="gw-audit-live" data-state={state}>
				{t(`live.${state}`)}
			</span>
			{status !== undefined && (
				<Button
					variant="secondary"
					size="sm"
					icon={paused ? <PlayIcon /> : <PauseIcon />}
					onClick={() => setPaused(!paused)}
				>
					{paused ? t("resume") : t("pause")}
				</Button>
			)}
			<span className="gw-audit-count">
				{known ? t(more ? "loaded" : "all", count) : known === false && t("unknown")}
			</span>
			<ExportButtons filters={filters} none={entries.length === 0} />
		</div>
	);
}
