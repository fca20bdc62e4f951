import { type NetworkRoute, useProblems } from "@api";
import { DirectionsIcon } from "@patternfly/react-icons";
import { type BulkAction, type Column, ResourceSection } from "@ui";
import { problemTitle } from "@ui/problemText";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { useKernelRoutes } from "./kernel";
import { MarkLabel } from "./MarkLabel";
import { Mono } from "./Mono";
import { routeInput, routes } from "./resource";
import { kernelOf, markOf, wayText } from "./routes";

/** StaticTab is the routes that are configured here, and whether the kernel has them. */
export function StaticTab() {
	const { t } = useTranslation("network");
	const live = useKernelRoutes();
	const kernel = useMemo(() => live && kernelOf(live.rows), [live]);
	const whyOf = useReasons();
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
			cell: (one) => <MarkLabel mark={markOf(one, kernel)} why={whyOf(one)} />,
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

/** useReasons are why routes are not in the kernel, as the server found it. */
function useReasons(): (route: NetworkRoute) => string | undefined {
	const { data } = useProblems();
	return ({ destination, active }) => {
		const found = data?.problems.find(
			({ subject, link }) => subject.kind === "route" && subject.name === destination && link === "/routes",
		);
		return active && found ? problemTitle(found) : undefined;
	};
}
