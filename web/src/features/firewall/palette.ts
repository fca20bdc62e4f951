import { listFirewallAddressObjects, listFirewallRules } from "@api";
import type { PaletteContext, PaletteEntry } from "@ui/feature";

const most = 5;

/** palette finds rules and addresses by their names, and leads admins to what they do most. */
export async function palette({ query, admin, t, signal }: PaletteContext): Promise<PaletteEntry[]> {
	const entry = (id: string, title: string, to: string) => ({ id, title, hint: t("palette.action"), to });
	const log = entry("log", t("palette.log"), "/live-log");
	const actions = [
		entry("create", t("rule.create"), "/firewall?do=create"),
		entry("explain", t("explain.open"), "/firewall?explain=yes"),
	];
	const always = admin ? [...actions, log] : [log];
	if (query.length < 2) return always;
	const asked = { query: { q: query, limit: most }, signal };
	const [rules, addresses] = await Promise.all([listFirewallRules(asked), listFirewallAddressObjects(asked)]);
	const found = (name: string) => `q=${encodeURIComponent(name)}`;
	return [
		...always,
		...rules.data.map(({ id, name }) => ({
			id,
			title: name,
			hint: t("palette.rule"),
			to: admin ? `/firewall?do=edit&id=${id}` : `/firewall?${found(name)}`,
		})),
		...addresses.data.map(({ id, name, value }) => ({
			id,
			title: `${name} ${value}`,
			hint: t("palette.address"),
			to: `/objects?tab=addresses&${found(name)}`,
		})),
	];
}
