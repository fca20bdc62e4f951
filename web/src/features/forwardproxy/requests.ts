import {
	type ForwardproxyQuestion,
	forwardproxyExplain,
	forwardproxyStatsOptions,
	getForwardproxyAclOptions,
	getForwardproxySettingsOptions,
	invalidate,
	listFirewallZonesOptions,
} from "@api";
import { useMutation, useQuery } from "@tanstack/react-query";
import type { Choice } from "@ui";

const most = 1000;
const minute = 60_000;

export const useSettings = () => useQuery(getForwardproxySettingsOptions());

export const useStats = () => useQuery({ ...forwardproxyStatsOptions(), refetchInterval: 5_000 });

/** useAcl is one access rule; undefined without an id, and while it is on its way. */
export const useAcl = (id = "") =>
	useQuery({ ...getForwardproxyAclOptions({ path: { id } }), enabled: Boolean(id) }).data;

/** useZoneChoices lets a form choose among the zones. */
export const useZoneChoices = (): Choice[] =>
	(
		useQuery({ ...listFirewallZonesOptions({ query: { limit: most, sort: "name" } }), staleTime: minute }).data ?? []
	).map(({ name }) => ({ value: name, label: name }));

export const useExplain = () =>
	useMutation({
		mutationFn: async (body: ForwardproxyQuestion) => (await forwardproxyExplain({ body })).data,
		onSettled: () => invalidate("audit"),
	});
