import { type NetworkAddress, useStates } from "@api";
import { AtIcon } from "@patternfly/react-icons";
import { type Column, ObjectState, ResourceSection } from "@ui";
import { useTranslation } from "@ui/translation";
import { useMemo } from "react";
import { addressesOf } from "./resource";

/** AddressesTab is the addresses of an interface, and whether the kernel has them. */
export function AddressesTab({ id }: { id: string }) {
	const { t } = useTranslation("network");
	const resource = useMemo(() => addressesOf(id), [id]);
	const stateOf = useStates("ip_address");
	const columns: Column<NetworkAddress>[] = [
		{
			key: "address",
			title: t("address.field.address"),
			sortable: true,
			width: 35,
			cell: (one) => <code className="gw-mono">{resource.name(one)}</code>,
		},
		{
			key: "live.state",
			title: t("state.title"),
			width: 20,
			cell: (one) => <ObjectState state={stateOf(one.id)} normal="live" />,
		},
		{
			key: "is_vip",
			title: t("address.vip"),
			width: 15,
			cell: (one) => (one.is_vip ? t("address.priority", { value: one.vip_priority }) : "–"),
		},
		{ key: "description", title: t("address.field.description") },
	];
	return (
		<ResourceSection
			resource={resource}
			ns="network/address"
			icon={AtIcon}
			columns={columns}
			defaultSort="address"
			form={() => import("./addressForm")}
		/>
	);
}
