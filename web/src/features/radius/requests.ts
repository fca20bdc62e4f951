import {
	getRadiusSettingsOptions,
	invalidate,
	listFirewallZonesOptions,
	listRadiusSignInsOptions,
	type RadiusSignInTestWritable,
	radiusTestSignIn,
} from "@api";
import { useMutation, useQuery } from "@tanstack/react-query";
import type { Choice } from "@ui";

const most = 1000;
const minute = 60_000;

export const useSettings = () => useQuery(getRadiusSettingsOptions());

export const useSignIns = () => useQuery({ ...listRadiusSignInsOptions(), refetchInterval: 5_000 });

/** useZoneChoices lets a form choose among the zones. */
export const useZoneChoices = (): Choice[] =>
	(
		useQuery({ ...listFirewallZonesOptions({ query: { limit: most, sort: "name" } }), staleTime: minute }).data ?? []
	).map(({ name }) => ({ value: name, label: name }));

export const useTest = () =>
	useMutation({
		mutationFn: async (body: RadiusSignInTestWritable) => (await radiusTestSignIn({ body })).data,
		onSettled: () => invalidate("audit"),
	});
