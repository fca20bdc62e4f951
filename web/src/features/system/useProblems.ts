import { useComponents, useConnection, useHealth } from "@api";
import { sentence } from "@ui/errorText";
import type { Problem, Translate } from "@ui/feature";
import { formatPercent } from "@ui/format";
import { serverText } from "@ui/serverText";
import { componentProblems } from "./components";
import { problemsOf } from "./problems";
import { useFlag, usePackages, useResources, useServices } from "./requests";

/** useProblems looks at the node from every page, seldom enough to cost nothing. */
export function useProblems(t: Translate): Problem[] {
	const { data: health } = useHealth();
	const { data: services } = useServices(30);
	const { data: maintenance } = useFlag("maintenance", 60);
	const { data: resources } = useResources(30);
	const { data: packages } = usePackages(15 * 60);
	const { data: states = [] } = useComponents();
	const connection = useConnection();
	const ofNode = problemsOf(
		{
			services: services?.services,
			maintenance: maintenance?.enabled,
			// A request that failed for it has said so already.
			database: connection === "online" ? health?.database : undefined,
			resources,
			packages: packages?.packages,
		},
		t,
		formatPercent,
	);
	return [...ofNode, ...componentProblems(states, t, (text) => sentence(serverText(text)))];
}
