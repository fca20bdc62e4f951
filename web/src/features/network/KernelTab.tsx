import { type ListQuery, queryClient } from "@api";
import { DirectionsIcon } from "@patternfly/react-icons";
import { type Column, EmptyState, formatNumber, Notice, ResourceTable } from "@ui";
import { useTranslation } from "@ui/translation";
import { useEffect } from "react";
import { kernelRoutes, staticRoutes, useKernelRoutes } from "./kernel";
import { MarkLabel } from "./MarkLabel";
import { Mono } from "./Mono";
import { type Compared, compared, fits, wayText } from "./routes";

const path = "/routes/live";

/** list is all routes of the kernel beside all that are configured; both are here, so is what is looked for. */
async function list({ query = {} }: { query?: ListQuery }) {
	const [live, configured] = await Promise.all([
		queryClient.fetchQuery(kernelRoutes),
		queryClient.fetchQuery(staticRoutes),
	]);
	const rows = compared(live.rows, configured.rows).filter((one) => fits(one, { ...query }));
	const { offset = 0, limit = rows.length } = query;
	const response = new Response(null, { headers: { "X-Total-Count": String(rows.length) } });
	return { data: rows.slice(offset, offset + limit), response };
}

const resource = { path, tag: "network", name: (one: Compared) => one.destination, list };

/** KernelTab is what the kernel has, whoever made it, beside what is configured here; differences come first. */
export function KernelTab() {
	const { t } = useTranslation("network");
	const live = useKernelRoutes();
	// The rows on screen are made of it.
	// biome-ignore lint/correctness/useExhaustiveDependencies: that there is something new is what matters
	useEffect(() => {
		void queryClient.invalidateQueries({
			predicate: ({ queryKey }) => (queryKey[0] as { _id?: string } | undefined)?._id === path,
		});
	}, [live]);
	const columns: Column<Compared>[] = [
		{
			key: "destination",
			title: t("route.field.destination"),
			width: 20,
			cell: (one) => <Mono>{one.destination}</Mono>,
		},
		{
			key: "live.there",
			title: t("kernel.there"),
			width: 20,
			cell: ({ there }) => <Mono>{there && `${wayText(there)}${there.multipath ? " …" : ""}`}</Mono>,
		},
		{
			key: "live.wanted",
			title: t("kernel.wanted"),
			width: 20,
			cell: ({ wanted }) => <Mono>{wanted && wayText(wanted)}</Mono>,
		},
		{
			key: "mark",
			title: t("state.title"),
			width: 15,
			cell: ({ mark }) => (mark ? <MarkLabel mark={live ? mark : "unknown"} /> : "–"),
		},
		{ key: "live.protocol", title: t("kernel.protocol"), cell: ({ there }) => there?.protocol ?? "–" },
		{ key: "metric", title: t("route.field.metric") },
		{ key: "table_name", title: t("route.field.table_name") },
	];
	const tables = [...new Set(live?.rows.map((one) => one.table_name))].slice(0, 50);
	const filters = [
		{
			key: "show",
			label: t("kernel.all"),
			options: ["differences", "configured"].map((value) => ({ value, label: t(`kernel.show.${value}`) })),
		},
		{ key: "table", label: t("kernel.tables"), options: tables.map((name) => ({ value: name, label: name })) },
	];
	return (
		<div className="gw-net-parts">
			{live && live.total > live.rows.length && (
				<Notice
					kind="info"
					title={t("kernel.more", { shown: formatNumber(live.rows.length), total: formatNumber(live.total) })}
				/>
			)}
			<ResourceTable
				resource={resource}
				label={t("kernel.title")}
				columns={columns}
				filters={filters}
				searchLabel={t("kernel.search")}
				empty={<EmptyState title={t("kernel.empty")} icon={DirectionsIcon} />}
			/>
		</div>
	);
}
