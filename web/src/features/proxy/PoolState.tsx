import type { ProxyBackend } from "@api";
import { StatusLabel } from "@ui";
import { useTranslation } from "react-i18next";
import { type Counted, poolHealth, poolLooks } from "./health";

/** PoolState is how a pool does, in a word. */
export function PoolState({ pool, counted }: { pool: ProxyBackend; counted: Counted | undefined }) {
	const { t } = useTranslation("proxy");
	const health = poolHealth(pool, counted);
	return <StatusLabel status={poolLooks[health]}>{t(`pool.health.${health}`)}</StatusLabel>;
}
