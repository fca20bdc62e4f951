import {
	carryOut,
	type Done,
	editForwardproxyListNames,
	type ForwardproxyList,
	type ForwardproxyNamesEdit,
	type ForwardproxyNamesResult,
	type ForwardproxyQuestion,
	forwardproxyExplain,
	forwardproxyStatsOptions,
	getForwardproxyAclOptions,
	getForwardproxyListNames,
	getForwardproxySettingsOptions,
	invalidate,
	listFirewallZonesOptions,
	replaceForwardproxyListNames,
} from "@api";
import { useMutation, useQuery } from "@tanstack/react-query";
import { type Choice, tell } from "@ui";
import { useTranslation } from "@ui/translation";

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

const changed = () => invalidate("forwardproxy", "change", "audit");

/** useEditNames adds names to a list and removes others. */
export const useEditNames = ({ id }: ForwardproxyList) =>
	useMutation({
		mutationFn: (body: ForwardproxyNamesEdit) =>
			carryOut({}, (headers) => editForwardproxyListNames({ path: { id }, body, headers })),
		onSettled: changed,
	});

/** useReplaceNames has a list be the names of a text. */
export const useReplaceNames = ({ id }: ForwardproxyList) =>
	useMutation({
		mutationFn: (names: string) =>
			carryOut({}, (headers) => replaceForwardproxyListNames({ path: { id }, body: { names }, headers })),
		onSettled: changed,
	});

/** readNames are all names of a list, a line each. */
export const readNames = async ({ id }: ForwardproxyList) =>
	(await getForwardproxyListNames({ path: { id } })).data.names;

/** useTellNames says what became of a list. */
export function useTellNames({ name }: ForwardproxyList) {
	const { t } = useTranslation("forwardproxy");
	return ({ data, outcome }: Done<ForwardproxyNamesResult>) =>
		tell(t("names.changed", { name, added: data.added, removed: data.removed }), "forwardproxy", outcome);
}
