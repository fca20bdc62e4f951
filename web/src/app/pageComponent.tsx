import { reloadOnce, useCan } from "@api";
import { useQuery } from "@tanstack/react-query";
import { ErrorState } from "@ui/ErrorState";
import type { Feature, FeatureRoute } from "@ui/feature";
import { useTranslation } from "@ui/translation";
import { Loading } from "./Loading";
import { NotAllowed } from "./NotAllowed";

/** pageComponent loads a page's chunk and shows it, to those who may see it. */
export function pageComponent(feature: Feature, route: FeatureRoute) {
	const id = `${feature.id} ${route.path}`;
	const load = reloadOnce(id, route.page);
	// biome-ignore lint/correctness/noComponentHookFactories: called once for each route, when the router is made
	function PageOf() {
		const { t } = useTranslation(feature.id);
		const admin = useCan("admin");
		const { data, error, refetch } = useQuery({
			queryKey: ["page", id],
			queryFn: load,
			staleTime: Number.POSITIVE_INFINITY,
			gcTime: Number.POSITIVE_INFINITY,
			structuralSharing: false,
			retry: false,
		});
		if (route.adminOnly && !admin) return <NotAllowed title={t(route.titleKey)} />;
		if (data) return <data.default />;
		return error ? <ErrorState error={error} retry={() => void refetch()} /> : <Loading />;
	}
	// Hovering a link fetches the chunk; a failure shows when the page is opened.
	PageOf.preload = () =>
		route.page().then(
			() => {},
			() => {},
		);
	return PageOf;
}
