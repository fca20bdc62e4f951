import { zNetworkInterfaceInput } from "@api/schemas";
import type { FormSpec } from "@ui";
import { useUrlState } from "@ui/urlState";
import {
	useFreeNames,
	useHashChoices,
	useLinkNames,
	useMemberNames,
	useModes,
	useRateChoices,
	useZoneChoices,
} from "./choices";

const vlan = { type: ["vlan"] };
const bond = { type: ["bond"] };
const bridge = { type: ["bridge"] };
const section = "interface";

export const form: FormSpec = {
	schema: zNetworkInterfaceInput,
	useInitial,
	fields: [
		{ name: "name", focus: true, useChoices: useFreeNames, section },
		{ name: "type", section },
		{ name: "role", kind: "choice", useChoices: useZoneChoices, section },
		{ name: "parent", required: true, useChoices: useLinkNames, when: vlan, section },
		{ name: "vlan_id", required: true, narrow: true, when: vlan, section },
		{
			name: "members",
			kind: "choices",
			initial: [],
			required: true,
			useChoices: useMemberNames,
			when: { type: ["bridge", "bond"] },
			wide: true,
			section,
		},
		{ name: "bond_mode", kind: "choice", useChoices: useModes, initial: "active-backup", when: bond, section },
		{
			name: "primary",
			useChoices: useLinkNames,
			when: { ...bond, bond_mode: ["active-backup", "balance-tlb", "balance-alb"] },
			section,
		},
		{
			name: "lacp_rate",
			kind: "choice",
			useChoices: useRateChoices,
			when: { ...bond, bond_mode: ["802.3ad"] },
			section,
		},
		{ name: "stp", when: bridge, section },
		{ name: "vlan_filtering", when: bridge, section },
		{ name: "description", wide: true, section },
		{ name: "mtu", unit: "octets", presets: [1492, 1500, 9000], section: "advanced" },
		{ name: "hash_policy", kind: "choice", useChoices: useHashChoices, when: bond, section: "advanced" },
		{ name: "miimon", unit: "milliseconds", presets: [50, 100, 1000], when: bond, section: "advanced" },
	],
};

/** useInitial begins with the link that was chosen among those without a zone; its kind shows in its name. */
function useInitial() {
	const [{ do: what, id: name = "" }] = useUrlState();
	if (what !== "create") return {};
	const [, parent, number] = /^(.+)\.(\d+)$/.exec(name) ?? [];
	if (parent) return { name, type: "vlan", parent, vlan_id: Number(number) };
	return {
		name,
		type: /^br/.test(name) ? "bridge" : /^bond/.test(name) ? "bond" : /^wg/.test(name) ? "wireguard" : "ethernet",
	};
}
