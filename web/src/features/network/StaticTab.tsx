import { type NetworkRoute, useStates } from "@api";
import { DirectionsIcon } from "@patternfly/react-icons";
import { type BulkAction, type Column, ObjectState, ResourceSection } from "@ui";
import { useTranslation } from "react-i18next";
import { Mono } from "./Mono";
import { routeInput, routes } from "./resource";
import { wayText } from "./routes";

/** StaticTab is the routes that are configured here, and whether the kernel has them. */
export function StaticTab() {
	const { t } = useTranslation("network");
	const stateOf = useStates("route");
	const columns: Column<NetworkRoute>[] = [
		{
			key: "destination",
			title: t("route.field.destination"),
			sortable: true,
			width: 20,
			cell: (one) => <Mono>{one.destination}</Mono>,
		},
		{ key: "gateway", title: t("route.way"), sortable: true, width: 25, cell: (one) => <Mono>{wayText(one)}</Mono> },
		{
			key: "live.state",
			title: t("state.title"),
			width: 15,
			cell: (one) => <ObjectState state={stateOf(one.id)} normal="live" />,
		},
		{ key: "metric", title: t("route.field.metric"), sortable: true, width: 10 },
		{ key: "table_name", title: t("route.field.table_name"), sortable: true, width: 10 },
		{ key: "comment", title: t("route.field.comment") },
	];
	const switched = (active: boolean): BulkAction<NetworkRoute> => ({
		id: active ? "enable" : "disable",
		title: t(active ? "route.enable" : "route.disable"),
		fits: (route) => route.active !== active,
		step: (route) => ({ method: "PUT", body: { ...routeInput(route), active } }),
	});
	return (
		<ResourceSection
			resource={routes}
			ns="network/route"
			icon={DirectionsIcon}
			columns={columns}
			bulk={[switched(true), switched(false)]}
			defaultSort="destination"
			form={() => import("./routeForm")}
		/>
	);
}
