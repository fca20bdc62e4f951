import {
	type FirewallRule,
	getFirewallAddressGroup,
	getFirewallAddressObject,
	getFirewallService,
	getFirewallServiceGroup,
} from "@api";
import { shortText } from "./ip";
import type { Typed } from "./known";
import { nameText, readAddress, readService, serviceText } from "./typed";

/** A group of more members is told by its name. */
const most = 20;

interface Group {
	name: string;
	members: string[] | null;
}

/** groupText is a group as it is typed: what is in it, where it was made of that, else its name. */
async function groupText(group: Group, value: (id: string) => Promise<string>, literal: boolean): Promise<string> {
	const members = group.members ?? [];
	if (group.name.includes(", ") && members.length > 1 && members.length <= most) {
		const values = await Promise.all(members.map(value));
		if (values.toSorted().join(", ") === group.name) return group.name;
	}
	return nameText(group.name, literal);
}

const address = async (id: string) => (await getFirewallAddressObject({ path: { id } })).data;
const service = async (id: string) => (await getFirewallService({ path: { id } })).data;

async function sideText(rule: FirewallRule, side: "src" | "dst"): Promise<string> {
	const [object, group] = [rule[`${side}_object_id`], rule[`${side}_group_id`]];
	switch (rule[`${side}_kind`]) {
		case "cidr":
			return shortText(rule[`${side}_cidr`]);
		case "object": {
			const { name, kind, value } = await address(object ?? "");
			const read = readAddress(name);
			// An address alone would be a network of the rule itself, and no object.
			const itself = read?.kind === "fqdn" || (read?.kind === "range" && kind === "range" && read.value === value);
			return nameText(name, Boolean(read) && !itself);
		}
		case "group": {
			const { data } = await getFirewallAddressGroup({ path: { id: group ?? "" } });
			const read = readAddress(data.name);
			return groupText(data, async (id) => (await address(id)).value, Boolean(read) && read?.kind !== "fqdn");
		}
		default:
			return "";
	}
}

async function servicesText({ service_object_id: one, service_group_id: group }: FirewallRule): Promise<string> {
	if (one) {
		const data = await service(one);
		return nameText(data.name, Boolean(readService(data.name)) && serviceText(data) !== data.name);
	}
	if (!group) return "";
	const { data } = await getFirewallServiceGroup({ path: { id: group } });
	return groupText(data, async (id) => serviceText(await service(id)), Boolean(readService(data.name)));
}

/** typedOf is what a rule refers to, as it would be typed. */
export async function typedOf(rule: FirewallRule): Promise<Typed> {
	const [source, destination, services] = await Promise.all([
		sideText(rule, "src"),
		sideText(rule, "dst"),
		servicesText(rule),
	]);
	return { source, destination, service: services };
}
