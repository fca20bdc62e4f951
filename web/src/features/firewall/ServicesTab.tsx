import { type FirewallService, listFirewallServiceUsesOptions } from "@api";
import { PlugIcon } from "@patternfly/react-icons";
import { type Column, ResourceSection, StatusLabel } from "@ui";
import { useTranslation } from "@ui/translation";
import { services } from "./resource";
import { portsOf } from "./sources";
import { UsedBy } from "./UsedBy";
import { useUses } from "./useUses";

/** ServicesTab is the protocols and ports that rules know by name. */
export function ServicesTab() {
	const { t } = useTranslation("firewall");
	const columns: Column<FirewallService>[] = [
		{ key: "name", title: t("service.field.name"), sortable: true, width: 25 },
		{
			key: "protocol",
			title: t("service.ports"),
			sortable: true,
			width: 25,
			cell: (one) => <code className="gw-mono">{portsOf(one)}</code>,
		},
		{ key: "description", title: t("service.field.description"), width: 30 },
		{ key: "builtin", title: t("origin"), cell: (one) => <Origin builtin={one.builtin} /> },
	];
	const uses = useUses<FirewallService>("services", services.name, ({ id }) =>
		listFirewallServiceUsesOptions({ path: { id } }),
	);
	return (
		<ResourceSection
			resource={services}
			ns="firewall/service"
			icon={PlugIcon}
			columns={columns}
			defaultSort="name"
			keeps={(one) => one.builtin}
			dialogs={[uses]}
			removing={({ id }) => <UsedBy query={listFirewallServiceUsesOptions({ path: { id } })} />}
			form={() => import("./serviceForm")}
		/>
	);
}

/** Origin says whether something came with the product. */
export function Origin({ builtin }: { builtin: boolean }) {
	const { t } = useTranslation("firewall");
	return builtin ? <StatusLabel status="neutral">{t("builtin")}</StatusLabel> : t("own");
}
