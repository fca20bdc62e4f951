import type { FaultUse } from "@api";
import { type UseQueryOptions, useQuery } from "@tanstack/react-query";
import { Notice } from "@ui";
import { useTranslation } from "@ui/translation";
import { UsedBy as List } from "@ui/UsedBy";

// The generated options differ in their keys only.
// biome-ignore lint/suspicious/noExplicitAny: the key is nobody's business here
export type UsesQuery = UseQueryOptions<FaultUse[], any, FaultUse[], any>;

interface Props {
	query: UsesQuery;
	/** Said when nothing refers to it; nothing is when left out. */
	none?: string;
}

const shown = 20;

/** UsedBy is what refers to an object, each with the way to it: before that is changed, it cannot be deleted. */
export function UsedBy({ query, none }: Props) {
	const { t } = useTranslation("firewall");
	const { data } = useQuery({ ...query, staleTime: 0 });
	if (!data) return null;
	if (data.length === 0) return none ? <p>{none}</p> : null;
	return (
		<div className="gw-fw-used">
			<Notice kind={none ? "info" : "warning"} title={t("uses.count", { count: data.length })}>
				<List first={data.slice(0, shown)} total={data.length} />
			</Notice>
		</div>
	);
}
