import type { ProxyBackend } from "@api";
import { RowLink } from "@ui";
import { useTranslation } from "@ui/translation";
import { usePool, usePools } from "./requests";

/** PoolLink leads to the pool that something uses; of very many pools only the first are known by name. */
export function PoolLink({ id }: { id: string | null }) {
	const pools = usePools();
	const listed = pools?.find((pool) => pool.id === id);
	const { data: single } = usePool(pools && !listed ? id : null);
	return <PoolName id={id} pool={listed ?? single} />;
}

/** PoolName is the same for a pool that is known already. */
export function PoolName({ id, pool }: { id: string | null; pool: ProxyBackend | undefined }) {
	const { t } = useTranslation("proxy");
	if (!id) return <span className="gw-proxy-none">{t("pool.none")}</span>;
	if (!pool) return "…";
	return <RowLink to={`/proxy/pools/${pool.id}`}>{pool.name}</RowLink>;
}
