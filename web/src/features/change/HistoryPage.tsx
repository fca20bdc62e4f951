import "./change.css";
import { type ChangeRecord, type ListQuery, listChanges, useCan, useComponents } from "@api";
import { CodeBranchIcon } from "@patternfly/react-icons";
import {
	actorOf,
	type Column,
	EmptyState,
	Link,
	Page,
	ResourceTable,
	serviceName,
	subjectOf,
	Time,
	titleOf,
} from "@ui";
import { useTranslation } from "react-i18next";
import { StateLabel } from "./StateLabel";

type Item = ChangeRecord & { revision: number };

const changes = {
	path: "/changes",
	tag: "change",
	name: (change: Item) => change.subject,
	list: async (options: { query?: ListQuery; signal?: AbortSignal }) => {
		const { data, response } = await listChanges(options);
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
		{ key: "apply", title: t("column.state"), width: 15, cell: (one) => <StateLabel change={one} /> },
		{ key: "reason", title: t("column.reason"), width: 15 },
		{
			key: "actor",
			title: t("column.who"),
			width: 20,
			cell: (one) => <span title={actorOf(one.actor)}>{actorOf(one.actor)}</span>,
		},
		{ key: "created_at", title: t("column.when"), width: 15, cell: (one) => <Time value={one.created_at} /> },
	];
	const filter = {
		key: "component",
		label: t("allComponents"),
		options: components.map(({ component }) => ({ value: component, label: serviceName(component) })),
	};
	return (
		<Page title={t("title")} description={t("lead")}>
			<ResourceTable
				resource={changes}
				label={t("title")}
				columns={columns}
				filters={[filter]}
				unsearchable
				empty={
					<EmptyState title={t("empty")} icon={CodeBranchIcon}>
						{t("emptyText")}
					</EmptyState>
				}
			/>
		</Page>
	);
}

function What({ change, linked }: { change: ChangeRecord; linked: boolean }) {
	const title = titleOf(change);
	return (
		<span title={`${title} ${subjectOf(change)}`}>
			{linked ? <Link to={`/changes/${change.id}`}>{title}</Link> : title}{" "}
			<span className="gw-change-subject">{subjectOf(change)}</span>
		</span>
	);
}
