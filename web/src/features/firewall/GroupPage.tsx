import "./firewall.css";
import { type FirewallGroup, type FirewallMember, useCan } from "@api";
import { CubesIcon } from "@patternfly/react-icons";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { type ChoiceSource, type Column, EmptyState, Loaded, Notice, Page, ResourceTable, Time } from "@ui";
import { useTranslation } from "@ui/translation";
import { useMemo } from "react";
import { AddMember } from "./AddMember";
import type { addressKind, serviceKind } from "./groups";
import { UsedBy } from "./UsedBy";
import { useMembers } from "./useMembers";

type Kind = typeof addressKind | typeof serviceKind;

interface Props {
	kind: Kind;
	/** Who finds what can be put into it. */
	source: ChoiceSource;
}

/** GroupPage is one group: what is in it, and which rules that changes. */
export function GroupPage({ kind, source }: Props) {
	const { t } = useTranslation("firewall");
	const { id = "" } = useParams({ strict: false }) as { id?: string };
	const query = useQuery(kind.one(id) as ReturnType<typeof addressKind.one>);
	return (
		<Page
			title={query.data?.name ?? t("group.detail")}
			description={query.data?.description}
			breadcrumbs={[{ title: t("objects.title"), to: "/objects", search: { tab: kind.tab } }]}
		>
			<Loaded query={query} height="20rem">
				{(group) => <Members group={group} kind={kind} source={source} />}
			</Loaded>
		</Page>
	);
}

function Members({ group, kind, source }: { group: FirewallGroup; kind: Kind; source: ChoiceSource }) {
	const { t } = useTranslation("firewall");
	const admin = useCan("admin");
	const members = useMemo(() => kind.members(group.id), [kind, group.id]);
	const { add, takeOut } = useMembers(members, group.name);
	const changeable = admin && !group.builtin;
	const columns: Column<FirewallMember>[] = [
		{ key: "name", title: t("members.name"), sortable: true, width: 35 },
		{
			key: "value",
			title: t("members.value"),
			sortable: true,
			width: 40,
			cell: (one) => <code className="gw-mono">{one.value}</code>,
		},
		{ key: "created_at", title: t("members.since"), sortable: true, cell: (one) => <Time value={one.created_at} /> },
	];
	const actions = (member: FirewallMember) => [
		{ title: t("members.takeOut"), isDanger: true, onClick: () => takeOut(member) },
	];
	return (
		<div className="gw-fw-parts">
			{group.builtin && <Notice kind="info" title={t("members.builtin")} />}
			{changeable && <AddMember source={source} onAdd={add} />}
			<ResourceTable
				resource={members}
				label={t("members.title")}
				columns={columns}
				actions={changeable ? actions : undefined}
				defaultSort="name"
				searchLabel={t("members.search")}
				empty={
					<EmptyState title={t("members.empty")} icon={CubesIcon}>
						{t("members.emptyText")}
					</EmptyState>
				}
			/>
			<UsedBy query={kind.uses(group.id)} none={t("uses.none")} />
		</div>
	);
}
