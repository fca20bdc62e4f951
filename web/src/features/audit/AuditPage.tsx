import { Button, Skeleton } from "@patternfly/react-core";
import { ArrowUpIcon, SearchIcon } from "@patternfly/react-icons";
import { EmptyState, ErrorState, Page } from "@ui";
import { useTranslation } from "@ui/translation";
import { useCallback, useState } from "react";
import "./audit.css";
import "./details.css";
import { EntryList } from "./EntryList";
import { FilterBar } from "./FilterBar";
import { isFiltered } from "./filters";
import { StatusBar } from "./StatusBar";
import { useEntries } from "./useEntries";
import { useFilters } from "./useFilters";
import { useHold } from "./useHold";
import { scroller, useScrolled } from "./useScrolled";
import { useStream } from "./useStream";

/** AuditPage is who did what and when: live as it happens, or searched. */
export default function AuditPage() {
	const { t } = useTranslation("audit");
	const { filters, draft, type, apply } = useFilters();
	const filtered = isFiltered(filters);
	const [paused, setPaused] = useState(false);
	const [open, setOpen] = useState<string>();
	const scrolled = useScrolled();
	const query = useEntries(filters);
	const { entries, hasNextPage, isFetching, fetchNextPage, isFetchNextPageError } = query;
	const still = paused || scrolled || open !== undefined;
	const stream = useStream(!filtered, query.data !== undefined, still);
	const { shown, waiting } = useHold(entries, still && !filtered);
	const more = useCallback(() => {
		if (hasNextPage && !isFetching && !isFetchNextPageError) void fetchNextPage();
	}, [hasNextPage, isFetching, isFetchNextPageError, fetchNextPage]);
	const filter = useCallback(
		(next: typeof filters) => {
			setOpen(undefined);
			scroller()?.scrollTo({ top: 0 });
			apply(next);
		},
		[apply],
	);
	const follow = () => {
		setPaused(false);
		setOpen(undefined);
		scroller()?.scrollTo({ top: 0 });
	};
	return (
		<Page title={t("title")} description={t("lead")}>
			<FilterBar draft={draft} type={type} filters={filters} apply={filter} />
			<StatusBar
				status={filtered ? undefined : stream.status}
				paused={paused}
				setPaused={(on) => (on ? setPaused(true) : follow())}
				entries={shown}
				filters={filters}
				known={query.isPending ? undefined : query.data !== undefined}
				more={hasNextPage}
			/>
			<div className="gw-audit" aria-busy={query.isPending}>
				{waiting > 0 && (
					<div className="gw-audit-waiting" role="status">
						<Button size="sm" icon={<ArrowUpIcon />} onClick={follow}>
							{t("waiting", { count: waiting })}
						</Button>
					</div>
				)}
				{query.isPending && <Skeletons />}
				{query.error && !query.data && <ErrorState error={query.error} retry={() => void query.refetch()} />}
				{query.data && shown.length === 0 && (
					<EmptyState
						title={filtered ? t("none.title") : t("empty.title")}
						icon={SearchIcon}
						action={
							filtered && (
								<Button variant="link" onClick={() => filter({})}>
									{t("filter.clear")}
								</Button>
							)
						}
					>
						{filtered ? t("none.text") : t("empty.text")}
					</EmptyState>
				)}
				{shown.length > 0 && (
					<EntryList entries={shown} fresh={stream.fresh} open={open} setOpen={setOpen} filter={filter} more={more} />
				)}
				{isFetchNextPageError && <ErrorState error={query.error} retry={() => void fetchNextPage()} />}
				{query.isFetchingNextPage && <p className="gw-audit-end">{t("loading")}</p>}
				{query.data && !hasNextPage && shown.length > 20 && <p className="gw-audit-end">{t("end")}</p>}
			</div>
		</Page>
	);
}

function Skeletons() {
	const { t } = useTranslation("audit");
	return (
		<div className="gw-audit-skeletons">
			{Array.from({ length: 10 }, (_, index) => (
				// biome-ignore lint/suspicious/noArrayIndexKey: they are all the same
				<Skeleton key={index} screenreaderText={index === 0 ? t("loading") : undefined} height="1.25rem" />
			))}
		</div>
	);
}
