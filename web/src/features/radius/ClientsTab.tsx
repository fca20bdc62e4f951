import type { RadiusClient } from "@api";
import { NetworkIcon } from "@patternfly/react-icons";
import { type Column, ResourceSection, StatusLabel } from "@ui";
import { useTranslation } from "@ui/translation";
import { clients } from "./resource";

/** ClientsTab is who may ask: access points, switches, VPN gateways. */
export function ClientsTab() {
	const { t } = useTranslation("radius");
	const columns: Column<RadiusClient>[] = [
		{ key: "name", title: t("client.field.name"), sortable: true, width: 25 },
		{
			key: "address",
			title: t("client.field.address"),
			sortable: true,
			width: 25,
			cell: (client) => <code className="gw-mono">{client.address}</code>,
		},
		{
			key: "require_message_authenticator",
			title: t("client.signed"),
			width: 20,
			cell: ({ require_message_authenticator: signed }) => (
				<StatusLabel status={signed ? "neutral" : "warning"}>
					{t(signed ? "client.required" : "client.exception")}
				</StatusLabel>
			),
		},
		{ key: "description", title: t("client.field.description") },
	];
	return (
		<ResourceSection
			resource={clients}
			ns="radius/client"
			icon={NetworkIcon}
			columns={columns}
			defaultSort="name"
			form={() => import("./clientForm")}
		/>
	);
}
