import { healthQuery, identityQuery, isOutdated, queryClient } from "@api";
import {
	type AnyRoute,
	createRootRoute,
	createRoute,
	createRouter,
	type RouterHistory,
	redirect,
} from "@tanstack/react-router";
import type { Feature, FeatureRoute } from "@ui/feature";
import { FeaturesProvider } from "@ui/features";
import { BareFrame } from "./BareFrame";
import { NotFound } from "./NotFound";
import { PageError } from "./PageError";
import { pageComponent } from "./pageComponent";
import { Root } from "./Root";
import { Shell } from "./Shell";
import { navOf } from "./sections";

/** readSearch and writeSearch keep parameters as the plain text they are in the address bar. */
export const readSearch = (text: string) => Object.fromEntries(new URLSearchParams(text));

export function writeSearch(search: Record<string, unknown>): string {
	const filled = Object.entries(search).filter(([, value]) => value !== undefined && value !== "");
	const text = new URLSearchParams(filled.map(([key, value]) => [key, String(value)])).toString();
	return text ? `?${text}` : "";
}

/** admit lets signed-in visitors of a set-up node pass, and shows the others where to go. */
async function admit({ location }: { location: { href: string } }): Promise<void> {
	const health = await queryClient.ensureQueryData(healthQuery);
	if (!health.setup_complete) throw redirect({ to: "/setup" });
	const identity = await queryClient.ensureQueryData(identityQuery);
	if (!identity) throw redirect({ to: "/sign-in", search: { next: location.href } as never });
}

/** createAppRouter builds all routes out of the features. */
export function createAppRouter(features: Feature[], history?: RouterHistory) {
	const root = createRootRoute({
		component: () => (
			<FeaturesProvider value={features}>
				<Root />
			</FeaturesProvider>
		),
		notFoundComponent: NotFound,
	});
	const shell = createRoute({
		getParentRoute: () => root,
		id: "shell",
		beforeLoad: admit,
		component: Shell,
		errorComponent: PageError,
	});
	const bare = createRoute({ getParentRoute: () => root, id: "bare", component: BareFrame, errorComponent: PageError });
	const under = (parent: AnyRoute, bare: boolean) => (feature: Feature) =>
		feature.routes.filter((route) => Boolean(route.bare) === bare).map((route) => pageRoute(parent, feature, route));
	const pages = features.flatMap(under(shell, false));
	const router = createRouter({
		routeTree: root.addChildren([
			shell.addChildren([...pages, ...home(shell, features)]),
			bare.addChildren(features.flatMap(under(bare, true))),
		]),
		history,
		parseSearch: readSearch,
		stringifySearch: writeSearch,
		defaultPreload: "intent",
		defaultPreloadDelay: 80,
		scrollRestoration: false,
	});
	// A page that came from an older version takes the next step with a fresh document.
	router.subscribe("onBeforeNavigate", ({ pathChanged, toLocation }) => {
		if (pathChanged && isOutdated()) window.location.assign(toLocation.href);
	});
	return router;
}

function pageRoute(parent: AnyRoute, feature: Feature, route: FeatureRoute): AnyRoute {
	return createRoute({
		getParentRoute: () => parent,
		path: route.path,
		beforeLoad: ({ params, search }) => {
			const to = route.moved?.({ params: params as Record<string, string>, search });
			// The same page with another address: the back button does not come through here again.
			if (to) throw redirect({ ...to, replace: true } as never);
		},
		component: pageComponent(feature, route),
		errorComponent: PageError,
		validateSearch: (search: Record<string, unknown>) => search,
	});
}

/** home sends "/" to the first page of the navigation, as long as no feature has a page there. */
function home(parent: AnyRoute, features: Feature[]): AnyRoute[] {
	const first = navOf(features, false)[0]?.entries[0];
	if (!first || features.some((feature) => feature.routes.some((route) => route.path === "/"))) return [];
	const beforeLoad = () => {
		throw redirect({ to: first.to });
	};
	return [createRoute({ getParentRoute: () => parent, path: "/", beforeLoad })];
}
