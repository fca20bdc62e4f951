const health = { version: "1.0.0", hostname: "gw1", os: "", kernel: "", database: true, setup_complete: true };
export const ann = { id: "1", email: "ann@example.com", role: "admin", totp_enabled: false, limited: false };
export const meta = { revision: 3, created_at: "2026-01-01T00:00:00Z", updated_at: "2026-01-01T00:00:00Z" };
const rule = (id: string, name: string, more: object = {}) => ({
	...meta,
	id,
	name,
	src_zone: "lan",
	src_kind: "any",
	src_object_id: null,
	src_group_id: null,
	src_cidr: "",
	dst_zone: "wan",
	dst_kind: "any",
	dst_object_id: null,
	dst_group_id: null,
	dst_cidr: "",
	service_object_id: null,
	service_group_id: null,
	uplink_group_id: null,
	action: "accept",
	log: false,
	priority: 10,
	enabled: true,
	comment: "",
	note: "",
	labels: [],
	expires_at: null,
	...more,
});
export const rules = [
	rule("r1", "Web", { dst_kind: "object", dst_object_id: "a1", service_object_id: "s1" }),
	rule("r2", "Mail", { action: "drop" }),
	rule("r3", "Old", { expires_at: "2026-01-01T00:00:00Z" }),
];
export const printers = { ...meta, id: "a1", name: "printers", kind: "network", value: "192.0.2.0/24", addresses: [] };
const https = { ...meta, id: "s1", name: "HTTPS", protocol: "tcp", port: 443, port_end: null, icmp_type: null };
const voice = { ...meta, id: "u1", name: "voice", family: "inet", is_default: false, description: "", number: 1 };
const zone = (name: string) => ({ ...meta, id: name, name, description: "", builtin: true });

/** answers are what a small gateway has, by the request. */
export const answers: Record<string, unknown> = {
	"GET /problems": { version: "1", problems: [], unknown: [], counts: {} },
	"GET /system/health": health,
	"GET /auth/me": ann,
	"GET /system/components": [],
	"GET /system/interfaces": [{ ifname: "eth2", flags: ["UP"], addr_info: [] }],
	"GET /network-interfaces": [{ ...meta, id: "i1", name: "eth0", role: "wan", type: "ethernet", members: [] }],
	"GET /uplink-groups": [voice],
	"GET /uplink-groups/u1": voice,
	"GET /firewall/rules": rules,
	"GET /firewall/rules/r2": rules[1],
	"GET /firewall/zones": [zone("lan"), zone("wan")],
	"GET /firewall/address-objects": [printers],
	"GET /firewall/services": [https],
	"GET /firewall/counters": [{ rule_id: "r1", packets: 1200, bytes: 9, last_hit: meta.created_at }],
	"GET /firewall/findings": [{ kind: "redundant", rule_id: "r2", by_rule_id: "r1" }],
	"GET /firewall/rules/r1": rules[0],
};
