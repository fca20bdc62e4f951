import "./change.css";
import { type ChangeRecord, type ListQuery, listChangeActorsOptions, listChanges, useCan, useComponents } from "@api";
import { CodeBranchIcon } from "@patternfly/react-icons";
import { useQuery } from "@tanstack/react-query";
import {
	actorOf,
	ChangeState,
	type Column,
	EmptyState,
	Link,
	nounsOf,
	Page,
	ResourceTable,
	serviceName,
	subjectOf,
	Time,
	titleOf,
} from "@ui";
import { useTranslation } from "@ui/translation";
import { between } from "./days";

type Item = ChangeRecord & { revision: number };

const changes = {
	path: "/changes",
	tag: "change",
	name: (change: Item) => change.subject,
	list: async ({ query, signal }: { query?: ListQuery & { from?: string; to?: string }; signal?: AbortSignal }) => {
		const { from, to, ...rest } = query ?? {};
		const { data, response } = await listChanges({ query: { ...rest, ...between(from, to) }, signal });
		return { data: data.map((one) => ({ ...one, revision: 0 })), response };
	},
};

/** HistoryPage lists what was changed in the configuration, by whom and why, and what became of it. */
export default function HistoryPage() {
	const { t } = useTranslation("change");
	const admin = useCan("admin");
	const { data: components = [] } = useComponents();
	const columns: Column<Item>[] = [
		{ key: "action", title: t("column.what"), width: 35, cell: (one) => <What change={one} linked={admin} /> },
		{
			key: "apply",
			title: t("column.state"),
			width: 15,
			cell: (one, current) => <ChangeState change={one} current={current} />,
		},
		{ key: "reason", title: t("column.reason"), width: 15 },
		{
			key: "actor",
			title: t("column.who"),
			width: 20,
			cell: (one) => <span title={actorOf(one.actor)}>{actorOf(one.actor)}</span>,
		},
		{ key: "created_at", title: t("column.when"), width: 15, cell: (one) => <Time value={one.created_at} /> },
	];
	const { data: actors = [] } = useQuery(listChangeActorsOptions());
	const filters = [
		{ key: "actor", label: t("filter.actor"), options: named(actors, actorOf) },
		{
			key: "component",
			label: t("filter.component"),
			options: named(
				components.map(({ component }) => component),
				serviceName,
			),
		},
		{
			key: "table",
			label: t("filter.table"),
			options: nounsOf()
				.map(({ table, noun }) => ({ value: table, label: noun }))
				.sort(byLabel),
		},
		{ key: "from", label: t("filter.from"), day: true as const },
		{ key: "to", label: t("filter.to"), day: true as const },
	];
	return (
		<Page title={t("title")} description={t("lead")}>
			<ResourceTable
				resource={changes}
				label={t("title")}
				columns={columns}
				filters={filters}
				searchLabel={t("filter.q")}
				empty={
					<EmptyState title={t("empty")} icon={CodeBranchIcon}>
						{t("emptyText")}
					</EmptyState>
				}
			/>
		</Page>
	);
}

const byLabel = (a: { label: string }, b: { label: string }) => a.label.localeCompare(b.label);

/** named are values with their words, by these. */
const named = (values: string[], word: (value: string) => string) =>
	values.map((value) => ({ value, label: word(value) })).sort(byLabel);

function What({ change, linked }: { change: ChangeRecord; linked: boolean }) {
	const title = titleOf(change);
	return (
		<span title={`${title} ${subjectOf(change)}`}>
			{linked ? <Link to={`/changes/${change.id}`}>{title}</Link> : title}{" "}
			<span className="gw-change-subject">{subjectOf(change)}</span>
		</span>
	);
}
