import { getIpv6Options, getMaintenanceOptions, invalidate, queryClient, setIpv6, setMaintenance } from "@api";

/** flagNames are the switches of the node, in the order of the page. Automatic updates come with upgrades: nothing reads that flag yet. */
export const flagNames = ["maintenance", "ipv6"] as const;
export type FlagName = (typeof flagNames)[number];

const flags = {
	maintenance: { options: getMaintenanceOptions, set: setMaintenance },
	ipv6: { options: getIpv6Options, set: setIpv6 },
};

/** flagQuery asks for one switch. */
export const flagQuery = (name: FlagName) => flags[name].options();

/** storeFlag sets one switch, and everything that shows it follows. */
export async function storeFlag(name: FlagName, enabled: boolean): Promise<void> {
	const { data } = await flags[name].set({ body: { enabled } });
	queryClient.setQueryData(flagQuery(name).queryKey, data);
	void invalidate("audit");
	void queryClient.invalidateQueries({ queryKey: ["palette", "system"] });
}
