import { type NetworkRoute, useStates } from "@api";
import { DirectionsIcon } from "@patternfly/react-icons";
import { type Column, ObjectState, ResourceSection, useSwitchBulk } from "@ui";
import { useTranslation } from "@ui/translation";
import { Mono } from "./Mono";
import { routeInput, routes } from "./resource";
import { wayText } from "./routes";

/** StaticTab is the routes that are configured here, and whether the kernel has them. */
export function StaticTab() {
	const { t } = useTranslation("network");
	const stateOf = useStates("route");
	const bulk = useSwitchBulk<"active", NetworkRoute>("active", routeInput);
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
	return (
		<ResourceSection
			resource={routes}
			ns="network/route"
			icon={DirectionsIcon}
			columns={columns}
			bulk={bulk}
			defaultSort="destination"
			form={() => import("./routeForm")}
		/>
	);
}
