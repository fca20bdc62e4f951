import type { DhcpReservation } from "@api";
import { ThumbtackIcon } from "@patternfly/react-icons";
import { type Column, ResourceSection } from "@ui";
import { useTranslation } from "@ui/translation";
import { useSubnetChoices } from "./requests";
import { reservations } from "./resource";

/** ReservationsTab is who always has the same address. */
export function ReservationsTab() {
	const { t } = useTranslation("dhcp");
	const subnets = useSubnetChoices();
	const columns: Column<DhcpReservation>[] = [
		{ key: "address", title: t("reservation.field.address"), sortable: true, width: 20 },
		{
			key: "hostname",
			title: t("reservation.field.hostname"),
			sortable: true,
			width: 20,
			cell: (one) => one.hostname || "–",
		},
		{
			key: "mac",
			title: t("reservation.client"),
			sortable: true,
			width: 30,
			cell: (one) => <code className="gw-mono">{one.mac || one.client_id}</code>,
		},
		{ key: "description", title: t("reservation.field.description"), width: 30, cell: (one) => one.description || "–" },
	];
	const filter = {
		key: "filter",
		label: t("allSubnets"),
		options: subnets.map(({ value, label }) => ({ value: `subnet_id:${value}`, label })),
	};
	return (
		<ResourceSection
			resource={reservations}
			ns="dhcp/reservation"
			icon={ThumbtackIcon}
			columns={columns}
			filters={[filter]}
			defaultSort="address"
			form={() => import("./reservationForm")}
		/>
	);
}
