import type { NetworkInterface } from "@api";
import { useTranslation } from "@ui/translation";

type Typed = Pick<NetworkInterface, "type" | "vlan_id">;

/** useTypeName is what kind of interface it is, in a word or two. */
export function useTypeName() {
	const { t } = useTranslation("network");
	return ({ type, vlan_id }: Typed) =>
		type === "vlan" && vlan_id ? t("link.vlan", { id: vlan_id }) : t(`link.option.type.${type}`);
}

/** TypeName is its kind, and what it is built on. */
export function TypeName({ of }: { of: NetworkInterface }) {
	const name = useTypeName();
	const below = of.type === "vlan" ? of.parent : (of.members ?? []).join(", ");
	return (
		<>
			{name(of)} {below && <code className="gw-net-quiet">{below}</code>}
		</>
	);
}
