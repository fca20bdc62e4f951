import type { FirewallUse } from "@api";

interface Place {
	to?: string;
	search?: Record<string, string>;
}

const edit = (id: string, more: Record<string, string> = {}) => ({ search: { ...more, do: "edit", id } });

/** placeOf is where something can be looked at and changed. */
export function placeOf({ kind, id }: Pick<FirewallUse, "kind" | "id">): Place {
	switch (kind) {
		case "address-group":
			return { to: `/firewall/address-groups/${id}` };
		case "service-group":
			return { to: `/firewall/service-groups/${id}` };
		case "nat-rule":
			return edit(id, { tab: "nat" });
		case "assertion":
			return edit(id, { tab: "assertions" });
		case "network-interface":
			return edit(id, { tab: "zones", of: "interfaces" });
		case "settings":
			return { search: { tab: "settings" } };
		default:
			return edit(id);
	}
}
