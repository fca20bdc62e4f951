import { type FirewallAddress, listFirewallAddressObjectUsesOptions, type StateOf, useStates } from "@api";
import { ServerIcon } from "@patternfly/react-icons";
import { type Column, ObjectState, ResourceSection, Time } from "@ui";
import { useTranslation } from "@ui/translation";
import { addresses } from "./resource";
import { UsedBy } from "./UsedBy";
import { useUses } from "./useUses";

const kinds = ["host", "network", "range", "fqdn"];

/** AddressesTab is the addresses that rules know by name; there may be a hundred thousand. */
export function AddressesTab() {
	const { t } = useTranslation("firewall");
	const stateOf = useStates("address_object");
	const columns: Column<FirewallAddress>[] = [
		{ key: "name", title: t("address.field.name"), sortable: true, width: 25 },
		{
			key: "kind",
			title: t("address.field.kind"),
			sortable: true,
			width: 15,
			cell: (one) => t(`address.option.kind.${one.kind}`),
		},
		{
			key: "value",
			title: t("address.field.value"),
			sortable: true,
			width: 25,
			cell: (one) => <Value of={one} stateOf={stateOf} />,
		},
		{ key: "description", title: t("address.field.description"), width: 15 },
		{ key: "updated_at", title: t("changed"), sortable: true, cell: (one) => <Time value={one.updated_at} /> },
	];
	const filter = {
		key: "filter",
		label: t("address.all"),
		options: kinds.map((kind) => ({ value: `kind:${kind}`, label: t(`address.option.kind.${kind}`) })),
	};
	const uses = useUses<FirewallAddress>("addresses", addresses.name, ({ id }) =>
		listFirewallAddressObjectUsesOptions({ path: { id } }),
	);
	return (
		<ResourceSection
			resource={addresses}
			ns="firewall/address"
			icon={ServerIcon}
			columns={columns}
			filters={[filter]}
			defaultSort="name"
			dialogs={[uses]}
			removing={({ id }) => <UsedBy query={listFirewallAddressObjectUsesOptions({ path: { id } })} />}
			form={() => import("./addressForm")}
		/>
	);
}

/** Value is what rules match. The addresses of a name that no longer resolves are those of before. */
function Value({ of, stateOf }: { of: FirewallAddress; stateOf: StateOf }) {
	const { t } = useTranslation("firewall");
	const found = of.kind === "fqdn" ? of.addresses.join(", ") || t("address.unresolved") : "";
	const state = of.kind === "fqdn" ? stateOf(of.id) : undefined;
	return (
		<>
			<code className="gw-mono" title={[of.value, found].filter(Boolean).join(": ")}>
				{of.value}
				{found && <span className="gw-fw-quiet"> {found}</span>}
			</code>
			{state && (
				<>
					{" "}
					<ObjectState state={state} normal="up" />
				</>
			)}
		</>
	);
}
