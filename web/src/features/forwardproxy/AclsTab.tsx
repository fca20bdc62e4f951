import { type ForwardproxyAcl, orderForwardproxyAcls, useSave } from "@api";
import { Button } from "@patternfly/react-core";
import { FilterIcon, SearchIcon } from "@patternfly/react-icons";
import { type BulkAction, EmptyState, ResourceSection, type RowAction, tell, toast, useErrorText } from "@ui";
import { OrderedList } from "@ui/ordered/OrderedList";
import { useOrderedBulk } from "@ui/ordered/useOrderedBulk";
import { TableToolbar } from "@ui/TableToolbar";
import { useTranslation } from "@ui/translation";
import { useTableState } from "@ui/useTableState";
import type { ReactNode } from "react";
import { AclRow } from "./AclRow";
import { inputOf, nameOf, types } from "./acl";
import { useSettings } from "./requests";
import { acls } from "./resource";

/** AclsTab is what is allowed and denied: rules in the order in which they are asked. */
export function AclsTab() {
	const bulk = useOrderedBulk<ForwardproxyAcl>({ source: acls, order: orderForwardproxyAcls, inputOf });
	return (
		<ResourceSection
			resource={acls}
			ns="forwardproxy/acl"
			icon={FilterIcon}
			columns={[]}
			bulk={bulk}
			form={() => import("./aclForm")}
			list={(given) => <AclList {...given} />}
		/>
	);
}

const useMore = () => undefined;

const content = (acl: ForwardproxyAcl) => <AclRow acl={acl} />;

interface Props {
	actions: ((acl: ForwardproxyAcl) => RowAction[]) | undefined;
	bulk: BulkAction<ForwardproxyAcl>[] | undefined;
	create: ReactNode;
	empty: ReactNode;
}

function AclList({ actions, bulk, create, empty }: Props) {
	const { t } = useTranslation("forwardproxy");
	const state = useTableState(["filter"]);
	const turn = useTurn();
	const columns = ["condition", "action", "from", "at", "state"].map((one) => t(`acl.column.${one}`));
	const options = [
		{ value: "action:allow", label: t("acl.option.action.allow") },
		{ value: "action:deny", label: t("acl.option.action.deny") },
		...types.map((type) => ({ value: `type:${type}`, label: t(`acl.option.type.${type}`) })),
		{ value: "enabled:false", label: t("acl.off") },
	];
	return (
		<>
			<OrderedList
				source={acls}
				query={state.query}
				label={t("tab.acls")}
				order={orderForwardproxyAcls}
				columns={columns}
				className="gw-fwp-acls"
				bulk={bulk}
				useMore={useMore}
				content={content}
				actions={actions && ((acl) => [turn(acl), ...actions(acl)])}
				head={(total, stale, csv) =>
					Boolean(total || state.filtered) && (
						<div className={stale ? "gw-stale" : undefined}>
							<TableToolbar
								state={state}
								filters={[{ key: "filter", label: t("acl.all"), options }]}
								searchLabel={t("acl.search")}
								total={total}
							>
								{csv}
								{create}
							</TableToolbar>
						</div>
					)
				}
				none={state.filtered ? <NothingFound clear={state.clear} /> : empty}
			/>
			<Rest />
		</>
	);
}

/** Rest says what happens to the requests that no rule matches. */
function Rest() {
	const { t } = useTranslation("forwardproxy");
	const { data } = useSettings();
	return data && <p className="gw-fwp-rest">{t(`acl.rest.${data.default_action}`)}</p>;
}

/** useTurn is the entry of a rule's menu that enables or disables it. */
function useTurn() {
	const { t } = useTranslation("forwardproxy");
	const text = useErrorText();
	const { mutate } = useSave(acls);
	const turn = (acl: ForwardproxyAcl) =>
		mutate(
			{ row: acl, body: { ...inputOf(acl), enabled: !acl.enabled } },
			{
				onSuccess: ({ outcome }) => tell(t("acl.saved", { name: nameOf(acl) }), acls.component, outcome),
				onError: (error) => toast.danger(t("acl.notSaved", { name: nameOf(acl) }), { detail: text(error) }),
			},
		);
	return (acl: ForwardproxyAcl): RowAction => ({
		title: t(acl.enabled ? "acl.turnOff" : "acl.turnOn"),
		onClick: () => turn(acl),
	});
}

function NothingFound({ clear }: { clear: () => void }) {
	const { t } = useTranslation("forwardproxy");
	const action = (
		<Button variant="link" onClick={clear}>
			{t("acl.showAll")}
		</Button>
	);
	return (
		<EmptyState title={t("acl.none")} icon={SearchIcon} action={action}>
			{t("acl.noneText")}
		</EmptyState>
	);
}
