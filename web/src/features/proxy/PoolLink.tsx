import { Link, StatusLabel } from "@ui";
import { useTranslation } from "react-i18next";
import { isEmpty } from "./health";
import { usePool, usePools } from "./requests";

/** PoolLink leads to the pool that something uses, and warns where that answers nobody. */
export function PoolLink({ id }: { id: string | null }) {
	const { t } = useTranslation("proxy");
	const pools = usePools();
	const listed = pools?.find((pool) => pool.id === id);
	// Of very many pools only the first are known by name.
	const { data: single } = usePool(pools && !listed ? id : null);
	const pool = listed ?? single;
	if (!id) return <span className="gw-proxy-none">{t("pool.none")}</span>;
	if (!pool) return "…";
	const trouble = !pool.active ? "pool.health.off" : isEmpty(pool) ? "pool.health.empty" : undefined;
	return (
		<span className="gw-proxy-pool">
			<Link to={`/proxy/pools/${pool.id}`}>{pool.name}</Link>
			{trouble && <StatusLabel status="warning">{t(trouble)}</StatusLabel>}
		</span>
	);
}
