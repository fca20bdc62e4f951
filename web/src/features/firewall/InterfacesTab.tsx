import { type NetworkInterface, useCan } from "@api";
import { Button } from "@patternfly/react-core";
import { NetworkIcon } from "@patternfly/react-icons";
import { type Column, Notice, ResourceSection, StatusLabel, useUrlState } from "@ui";
import { useTranslation } from "react-i18next";
import { useFreeLinks } from "./requests";
import { interfaces } from "./resource";

/** InterfacesTab is the interfaces of this node, each with the zone that it is in. */
export function InterfacesTab() {
	const { t } = useTranslation("firewall");
	const columns: Column<NetworkInterface>[] = [
		{ key: "name", title: t("link.field.name"), sortable: true, width: 20, cell: (one) => <code>{one.name}</code> },
		{ key: "role", title: t("link.field.role"), sortable: true, width: 20, cell: (one) => <Role role={one.role} /> },
		{ key: "type", title: t("link.field.type"), sortable: true, width: 20, cell: (one) => <Type of={one} /> },
		{ key: "description", title: t("link.field.description") },
	];
	return (
		<>
			<Unplaced />
			<ResourceSection
				resource={interfaces}
				ns="firewall/link"
				icon={NetworkIcon}
				columns={columns}
				defaultSort="name"
				form={() => import("./interfaceForm")}
			/>
		</>
	);
}

function Role({ role }: { role: string | null }) {
	const { t } = useTranslation("firewall");
	return role ? <b>{role}</b> : <StatusLabel status="neutral">{t("link.noZone")}</StatusLabel>;
}

function Type({ of }: { of: NetworkInterface }) {
	const { t } = useTranslation("firewall");
	const more = of.type === "vlan" ? `${of.parent}.${of.vlan_id}` : of.members.join(", ");
	return (
		<>
			{t(`link.option.type.${of.type}`)} {more && <span className="gw-fw-quiet">{more}</span>}
		</>
	);
}

/** Unplaced offers the system's interfaces that are in no zone yet: no rule is about them but those for any zone. */
function Unplaced() {
	const { t } = useTranslation("firewall");
	const admin = useCan("admin");
	const [, set] = useUrlState();
	const free = useFreeLinks();
	if (!admin || free.length === 0) return null;
	return (
		<div className="gw-fw-notice">
			<Notice kind="info" title={t("link.free", { count: free.length })}>
				<div className="gw-fw-chips">
					{free.slice(0, 12).map((name) => (
						<Button
							key={name}
							variant="secondary"
							size="sm"
							onClick={() => set({ do: "create", id: name }, { push: true })}
						>
							{t("link.place", { name })}
						</Button>
					))}
				</div>
			</Notice>
		</div>
	);
}
