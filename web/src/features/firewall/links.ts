import type { FirewallUse } from "@api";

interface Place {
	to: string;
	search?: Record<string, string>;
}

const edit = (id: string, tab?: string): Place => ({
	to: "/firewall",
	search: { ...(tab && { tab }), do: "edit", id },
});

/** placeOf is where something can be looked at and changed. */
export function placeOf({ kind, id }: Pick<FirewallUse, "kind" | "id">): Place {
	switch (kind) {
		case "address-group":
			return { to: `/objects/address-groups/${id}` };
		case "service-group":
			return { to: `/objects/service-groups/${id}` };
		case "nat-rule":
			return edit(id, "nat");
		case "assertion":
			return edit(id, "assertions");
		case "network-interface":
			return { to: `/interfaces/${id}` };
		case "settings":
			return { to: "/firewall", search: { tab: "settings" } };
		default:
			return edit(id);
	}
}
