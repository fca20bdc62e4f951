import type { NtpPool, NtpSourceStatus } from "@api";
import { ClockIcon } from "@patternfly/react-icons";
import { type Column, formatNumber, ResourceSection, StatusLabel } from "@ui";
import { AreaHistory } from "@ui/AreaHistory";
import { smallTime } from "@ui/smallTime";
import { useTranslation } from "@ui/translation";
import { useSources } from "./requests";
import { pools } from "./resource";
import { StatusCard } from "./StatusCard";
import { answered, looks, serversOf } from "./sources";

/** SourcesTab is where the time comes from: what is configured, beside how it does right now. */
export function SourcesTab() {
	const { t } = useTranslation("ntp");
	const known = useSources();
	const sources = known ?? [];
	const best = (pool: NtpPool): NtpSourceStatus | undefined => serversOf(sources, pool.address)[0];
	const kind = (pool: NtpPool) => t(`pool.option.kind.${pool.kind}`);
	const columns: Column<NtpPool>[] = [
		{ key: "address", title: t("pool.field.address"), sortable: true, width: 25 },
		{
			key: "kind",
			title: t("pool.field.kind"),
			sortable: true,
			width: 15,
			cell: (pool) => <Kind {...{ pool, sources, kind }} />,
		},
		{
			key: "live.state",
			title: t("column.state"),
			width: 20,
			cell: (pool) => (known ? <State of={best(pool)?.state ?? "none"} /> : "–"),
		},
		{ key: "live.offset", title: t("column.offset"), cell: (pool) => offset(best(pool)) },
		{
			key: "live.reach",
			title: t("column.reach"),
			width: 15,
			cell: (pool) => {
				const one = best(pool);
				return one ? t("reach", { answered: answered(one.reach) }) : "–";
			},
		},
		{ key: "live.stratum", title: t("column.stratum"), cell: (pool) => best(pool)?.stratum || "–" },
	];
	return (
		<>
			<StatusCard />
			<ResourceSection
				resource={pools}
				ns="ntp/pool"
				icon={ClockIcon}
				columns={columns}
				defaultSort="address"
				form={() => import("./poolForm")}
			/>
			<AreaHistory area="ntp" />
		</>
	);
}

const offset = (one?: NtpSourceStatus) => (one?.reach ? smallTime(one.offset, formatNumber) : "–");

function State({ of }: { of: keyof typeof looks }) {
	const { t } = useTranslation("ntp");
	return <StatusLabel status={looks[of]}>{t(`state.${of}`)}</StatusLabel>;
}

interface KindProps {
	pool: NtpPool;
	sources: NtpSourceStatus[];
	kind: (pool: NtpPool) => string;
}

function Kind({ pool, sources, kind }: KindProps) {
	const { t } = useTranslation("ntp");
	const count = serversOf(sources, pool.address).filter((one) => one.address).length;
	return (
		<>
			{kind(pool)}
			{pool.kind === "pool" && count > 0 && <span className="gw-ntp-count"> · {t("servers", { count })}</span>}
		</>
	);
}
