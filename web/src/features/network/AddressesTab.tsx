import type { NetworkAddress, SysInterface } from "@api";
import { AtIcon } from "@patternfly/react-icons";
import { type Column, ResourceSection } from "@ui";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { MarkLabel } from "./MarkLabel";
import { addressesOf } from "./resource";

interface Props {
	id: string;
	/** As the kernel has it; undefined when nobody knows, or it is not there. */
	link: SysInterface | undefined;
	known: boolean;
}

/** AddressesTab is the addresses of an interface, and whether the kernel has them. */
export function AddressesTab({ id, link, known }: Props) {
	const { t } = useTranslation("network");
	const resource = useMemo(() => addressesOf(id), [id]);
	const has = ({ address, prefix }: NetworkAddress) =>
		(link?.addr_info ?? []).some(({ local, prefixlen }) => local === address && prefixlen === prefix);
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
			cell: (one) => <MarkLabel mark={!known ? "unknown" : has(one) ? "live" : "missing"} />,
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
