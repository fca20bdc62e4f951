import type { AuditEntry, LiveStatus } from "@api";
import { Button } from "@patternfly/react-core";
import { DownloadIcon, PauseIcon, PlayIcon } from "@patternfly/react-icons";
import { formatNumber } from "@ui";
import { saveAs } from "@ui/saveAs";
import { useTranslation } from "react-i18next";
import { toCsv, toJson } from "./export";

interface Props {
	/** Undefined while filters are set: search results do not move. */
	status: LiveStatus | undefined;
	paused: boolean;
	setPaused: (paused: boolean) => void;
	entries: AuditEntry[];
	/** Whether the entries could be read; undefined while that is not known yet. */
	known: boolean | undefined;
	/** There are more entries than those that were loaded. */
	more: boolean;
}

/** StatusBar says whether the log is live, lets it pause, and exports what was loaded. */
export function StatusBar({ status, paused, setPaused, entries, known, more }: Props) {
	const { t } = useTranslation("audit");
	const state = status === undefined ? "search" : paused ? "paused" : status;
	const count = { count: entries.length, shown: formatNumber(entries.length) };
	const name = () => `audit-${new Date().toISOString().slice(0, 19).replaceAll(":", "")}`;
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
			<Button
				variant="link"
				size="sm"
				icon={<DownloadIcon />}
				isDisabled={entries.length === 0}
				aria-label={t("export.csv")}
				onClick={() => saveAs(`${name()}.csv`, `${toCsv(entries)}\n`, "text/csv")}
			>
				{"CSV"}
			</Button>
			<Button
				variant="link"
				size="sm"
				icon={<DownloadIcon />}
				isDisabled={entries.length === 0}
				aria-label={t("export.json")}
				onClick={() => saveAs(`${name()}.json`, `${toJson(entries)}\n`, "application/json")}
			>
				{"JSON"}
			</Button>
		</div>
	);
}
