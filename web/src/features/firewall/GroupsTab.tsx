import type { FirewallGroup } from "@api";
import { CubesIcon } from "@patternfly/react-icons";
import { type Column, formatNumber, ResourceSection, RowLink } from "@ui";
import { useTranslation } from "@ui/translation";
import { addressKind, serviceKind } from "./groups";
import { Origin } from "./ServicesTab";
import { UsedBy } from "./UsedBy";
import { useUses } from "./useUses";

/** AddressGroupsTab is the addresses that rules know together by one name. */
export const AddressGroupsTab = () => <Groups ns="firewall/group" kind={addressKind} />;

/** ServiceGroupsTab is the same for services. */
export const ServiceGroupsTab = () => <Groups ns="firewall/serviceGroup" kind={serviceKind} />;

function Groups({ ns, kind }: { ns: string; kind: typeof addressKind | typeof serviceKind }) {
	const { t } = useTranslation("firewall");
	const columns: Column<FirewallGroup>[] = [
		{
			key: "name",
			title: t("group.field.name"),
			sortable: true,
			width: 25,
			cell: (one) => <RowLink to={`${kind.page}/${one.id}`}>{one.name}</RowLink>,
		},
		{
			key: "member_count",
			title: t("members.title"),
			sortable: true,
			width: 15,
			cell: (one) => formatNumber(one.member_count),
		},
		{ key: "description", title: t("group.field.description"), width: 35 },
		{ key: "builtin", title: t("origin"), cell: (one) => <Origin builtin={one.builtin} /> },
	];
	const uses = useUses<FirewallGroup>(ns, kind.groups.name, ({ id }) => kind.uses(id));
	return (
		<ResourceSection
			key={ns}
			resource={kind.groups}
			ns={ns}
			icon={CubesIcon}
			columns={columns}
			defaultSort="name"
			keeps={(one) => one.builtin}
			dialogs={[uses]}
			removing={({ id }) => <UsedBy query={kind.uses(id)} />}
			form={() => import("./groupForm")}
		/>
	);
}
