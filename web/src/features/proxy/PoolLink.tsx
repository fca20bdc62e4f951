import type { ProxyBackend } from "@api";
import { RowLink, StatusLabel } from "@ui";
import { useTranslation } from "react-i18next";
import { isEmpty } from "./health";
import { usePool, usePools } from "./requests";

/** PoolLink leads to the pool that something uses; of very many pools only the first are known by name. */
export function PoolLink({ id }: { id: string | null }) {
	const pools = usePools();
	const listed = pools?.find((pool) => pool.id === id);
	const { data: single } = usePool(pools && !listed ? id : null);
	return <PoolName id={id} pool={listed ?? single} />;
}

/** PoolName is the same for a pool that is known already, and warns where it answers nobody. */
export function PoolName({ id, pool }: { id: string | null; pool: ProxyBackend | undefined }) {
	const { t } = useTranslation("proxy");
	if (!id) return <span className="gw-proxy-none">{t("pool.none")}</span>;
	if (!pool) return "…";
	const trouble = !pool.active ? "pool.health.off" : isEmpty(pool) ? "pool.health.empty" : undefined;
	return (
		<span className="gw-proxy-pool">
			<RowLink to={`/proxy/pools/${pool.id}`}>{pool.name}</RowLink>
			{trouble && <StatusLabel status="warning">{t(trouble)}</StatusLabel>}
		</span>
	);
}
