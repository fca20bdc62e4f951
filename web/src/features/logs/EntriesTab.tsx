import { Button } from "@patternfly/react-core";
import { PauseIcon, PlayIcon, SearchIcon } from "@patternfly/react-icons";
import { BusyButton, Csv, EmptyState, formatExact, formatNumber, Loaded, Notice, useUrlState } from "@ui";
import { FilterBar } from "@ui/FilterBar";
import { useTranslation } from "@ui/translation";
import { useTypedFilters } from "@ui/useTypedFilters";
import { useCallback, useState } from "react";
import { EntryRow } from "./EntryRow";
import { around, askedOf, filterKeys, levels, sourcesOf, streamOf, useEntries } from "./entries";
import { SourceChips } from "./SourceChips";
import { useFollow } from "./useFollow";

/** EntriesTab is what the services of this node wrote: searched, or as it is written. */
export function EntriesTab() {
	const { t } = useTranslation("logs");
	const [search, set] = useUrlState();
	const filters = useTypedFilters(filterKeys);
	const asked = askedOf(search);
	const [open, setOpen] = useState<string>();
	const [following, setFollowing] = useState(false);
	const sources = sourcesOf(search);
	const auditOnly = sources.length === 1 && sources[0] === "audit";
	const live = following && !auditOnly && !search.until;
	const follow = useFollow(streamOf(asked), live);
	const query = useEntries(asked);
	const { entries, last, hasNextPage, isFetchingNextPage, fetchNextPage } = query;
	const known = new Set(entries.map(({ id }) => id));
	const shown = [...follow.heard.filter(({ id }) => !known.has(id)), ...entries];
	const toggle = useCallback((id: string) => setOpen((before) => (before === id ? undefined : id)), []);
	const onAround = useCallback((at: string) => set(around(at), { push: true }), [set]);
	const choices = { level: levels.map((value) => ({ value, label: t(`filter.from.${value}`) })) };
	const searched = last?.searched_since && t("searched", { since: formatExact(new Date(last.searched_since)) });
	return (
		<>
			<SourceChips
				chosen={sources}
				onChange={(chosen) => set({ sources: chosen.join(",") || undefined }, { push: true })}
			/>
			<FilterBar label={(key) => t(`filter.${key}`)} filters={filters} choices={choices} moments={["since", "until"]} />
			<div className="gw-logs-bar">
				<Button
					variant="secondary"
					size="sm"
					isDisabled={auditOnly || Boolean(search.until)}
					icon={live ? <PauseIcon /> : <PlayIcon />}
					onClick={() => setFollowing(!following)}
				>
					{live ? t("pause") : t("follow")}
				</Button>
				<span role="status">{live ? t(`state.${follow.status}`) : auditOnly && t("auditLive")}</span>
				<span className="gw-logs-count" role="status">
					{query.data && t("count", { count: shown.length, shown: formatNumber(shown.length) })}
				</span>
				{shown.length > 0 && <Csv name="logs" rows={() => shown} />}
			</div>
			{last?.left_out.includes("audit") && <Notice kind="warning" title={t("leftOut")} />}
			<Loaded query={query} height="20rem">
				{() =>
					shown.length === 0 && !hasNextPage ? (
						<EmptyState title={t("empty")} icon={SearchIcon}>
							{t("emptyText")}
						</EmptyState>
					) : (
						<ol className="gw-logs gw-panel" aria-label={t("title")}>
							{shown.map((entry) => (
								<EntryRow
									key={entry.id}
									entry={entry}
									q={search.q}
									open={entry.id === open}
									toggle={toggle}
									onAround={onAround}
								/>
							))}
						</ol>
					)
				}
			</Loaded>
			<div className="gw-logs-bar">
				<span role="status">{searched}</span>
				{hasNextPage && (
					<BusyButton variant="secondary" busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
						{searched ? t("further") : t("older")}
					</BusyButton>
				)}
			</div>
		</>
	);
}
