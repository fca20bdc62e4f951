import { type FirewallRule, getFirewallAddressGroup, getFirewallAddressObject } from "@api";
import { isEverywhere } from "./risk";

const addressValue = async (id: string) => (await getFirewallAddressObject({ path: { id } })).data.value;

/** reaches says whether one side of a rule is any address, by what it refers to. */
async function reaches(rule: FirewallRule, side: "src" | "dst"): Promise<boolean> {
	switch (rule[`${side}_kind`]) {
		case "cidr":
			return isEverywhere(rule[`${side}_cidr`]);
		case "object":
			return isEverywhere(await addressValue(rule[`${side}_object_id`] ?? ""));
		case "group": {
			const { data } = await getFirewallAddressGroup({ path: { id: rule[`${side}_group_id`] ?? "" } });
			const values = await Promise.all((data.members ?? []).map(addressValue));
			return values.some((value) => isEverywhere(value));
		}
		default:
			return true;
	}
}

/** opensEverything says whether a rule accepts any source to any destination, once it is enabled. */
export async function opensEverything(rule: FirewallRule): Promise<boolean> {
	if (rule.action !== "accept" || rule.src_zone !== "any" || rule.dst_zone !== "any") return false;
	const sides = await Promise.all([reaches(rule, "src"), reaches(rule, "dst")]);
	return sides.every(Boolean);
}
