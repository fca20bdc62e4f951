import { listProxyDomains, page, useStateCounts } from "@api";
import { useQuery } from "@tanstack/react-query";
import { Loaded, ObjectState } from "@ui";
import { DashCard } from "@ui/DashCard";
import { useTranslation } from "@ui/translation";

/** DomainsCard is how many domains serve, and how many do not. */
export function DomainsCard() {
	const { t } = useTranslation("proxy");
	const total = useQuery({
		// The tag has it asked for again with everything else that shows domains: the states beside it are.
		queryKey: [{ tags: ["proxy"], _id: "domainsTotal" }],
		queryFn: async ({ signal }) => (await page(listProxyDomains({ query: { limit: 1 }, signal }))).total,
		staleTime: 0, // whoever has just published a site looks here
		refetchInterval: 15_000,
	});
	return (
		<DashCard title={t("card.title")} to="/proxy" more={t("site.all")}>
			<Loaded query={total}>{(count) => <Counts total={count} />}</Loaded>
		</DashCard>
	);
}

function Counts({ total }: { total: number }) {
	const { t } = useTranslation("proxy");
	const counts = useStateCounts("domain", total);
	if (total === 0) return <p className="gw-subtle">{t("site.empty")}</p>;
	return (
		<ul className="gw-counts">
			{counts.map(({ state, count }) => (
				<li key={state?.state ?? ""}>
					<b>{count}</b> <ObjectState state={state} normal="serving" />
				</li>
			))}
		</ul>
	);
}
