import type {
	NetworkAddress,
	NetworkAddressInput,
	NetworkInterface,
	NetworkInterfaceInput,
	NetworkRoute,
	NetworkRouteInput,
} from "@api";

/** textOf is a value as it can be compared: a form has "" for what a row has not. */
const textOf = (value: unknown) => (value === null || value === undefined ? "" : String(value));

/** differs says whether any of these fields is another one afterwards. */
function differs<R extends object>(before: R, after: object, names: (keyof R & string)[]): boolean {
	const b = after as Record<string, unknown>;
	return names.some((name) => textOf(before[name]) !== textOf(b[name]));
}

const shape = [
	"name",
	"type",
	"role",
	"parent",
	"vlan_id",
	"members",
	"mtu",
	"bond_mode",
	"lacp_rate",
	"hash_policy",
	"primary",
	"miimon",
	"stp",
	"vlan_filtering",
] as const;

const takesMembers = (type: string) => type === "bond" || type === "bridge";

/** interfaceRisk: the way to the administrator may be through it, or through what becomes a member of it. */
export function interfaceRisk(before: NetworkInterface | undefined, body: NetworkInterfaceInput | undefined): boolean {
	if (!before) return body !== undefined && takesMembers(body.type);
	if (!body) return before.role !== null || !["ethernet", "wireguard"].includes(before.type);
	return differs(before, body, [...shape]);
}

/** addressRisk: an address that is added cuts nobody off. */
export const addressRisk = (before: NetworkAddress | undefined, body: NetworkAddressInput | undefined): boolean =>
	before !== undefined && (!body || differs(before, body, ["address", "prefix", "is_vip"]));

const isDefault = (destination: string | undefined) => /^(0\.0\.0\.0|::)\/0$/.test((destination ?? "").trim());

/** routeRisk: a route that is taken away may be the way back; a new default route takes everything. */
export function routeRisk(before: NetworkRoute | undefined, body: NetworkRouteInput | undefined): boolean {
	if (!before) return body?.active !== false && isDefault(body?.destination);
	if (!body) return before.active;
	const changed = differs(before, body, ["destination", "type", "gateway", "dev", "metric", "table_name", "onlink"]);
	return before.active !== (body.active ?? true) || (before.active && changed);
}
