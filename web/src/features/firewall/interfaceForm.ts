import { zNetworkInterfaceInput } from "@api/schemas";
import { type FormSpec, useUrlState } from "@ui";
import { useFreeNames, useRoleZones } from "./requests";

const vlan = { type: ["vlan"] };

export const form: FormSpec = {
	schema: zNetworkInterfaceInput,
	useInitial,
	fields: [
		{ name: "name", focus: true, useChoices: useFreeNames, section: "interface" },
		{ name: "type", section: "interface" },
		{ name: "role", kind: "choice", useChoices: useRoleZones, section: "interface" },
		{ name: "parent", required: true, when: vlan, section: "interface" },
		{ name: "vlan_id", required: true, narrow: true, when: vlan, section: "interface" },
		{ name: "members", required: true, when: { type: ["bridge", "bond"] }, section: "interface" },
		{ name: "description", section: "interface" },
	],
};

/** useInitial begins with the interface that was chosen among those without a zone; its kind shows in its name. */
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
