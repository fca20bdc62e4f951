import { answers as backupAnswers, verified } from "../features/backup/fixture";
import { acls, answers as forwardproxyAnswers } from "../features/forwardproxy/fixture";
import { answers as networkAnswers } from "../features/network/fixture";

const moment = "2026-01-01T00:00:00Z";
const meta = { revision: 1, created_at: moment, updated_at: moment };
const inAYear = new Date(Date.now() + 365 * 86_400_000).toISOString();
const certificate = { ...meta, id: "c", names: ["a.example"], status: "valid", source: "acme", checks: [] };

/** A small gateway on which everything works. */
export const well: Record<string, unknown> = {
	...forwardproxyAnswers,
	...networkAnswers,
	...backupAnswers([verified]),
	// What a rule does is a setting, and green where it allows: that is no state.
	"GET /forward-proxy/acls": acls.filter(({ action }) => action === "deny"),
	"GET /auth/me": { id: "1", email: "ann@example.com", role: "viewer", totp_enabled: false, limited: false },
	...Object.fromEntries(
		[
			...[
				"clock",
				"dhcp-server",
				"dhcp-subnet",
				"radius",
				"resolver",
				"service",
				"component",
				"certificate",
				"tunnel",
				"tunnel_peer",
				"uplink",
				"uplink_group",
			],
			...["network_interface", "ip_address", "route"],
		].map((kind) => [`GET /problems/states/${kind}`, { known: true, states: {} }]),
	),
	"GET /ntp/status": { synchronised: true, offset: 0.001, source: "a", stratum: 2, last_update: null },
	"GET /ntp/sources": [
		{ name: "a.example", address: "192.0.2.1", state: "selected", reach: 255, offset: 0, stratum: 1 },
	],
	"GET /ntp/pools": [{ ...meta, id: "p", address: "a.example", kind: "server" }],
	"GET /system/services": {
		services: [
			{ name: "dns", active_state: "active", installed: true, required: true, unit: "unbound.service", boot: "" },
		],
	},
	"GET /system/package-versions": {
		packages: [{ name: "unbound", installed: "1", available: "1", upgradable: false }],
		taken_at: moment,
	},
	"GET /tunnel/interfaces": [
		{ ...meta, id: "t", name: "wg0", mode: "server", active: true, address_cidr: "10.8.0.1/24" },
	],
	"GET /tunnel/peers": [
		{ ...meta, id: "p", name: "phone", interface_id: "t", active: true, public_key: "k", allowed_ips: ["10.8.0.2/32"] },
	],
	"GET /tunnel/status": { k: { last_handshake: inAYear, rx: 1, tx: 1 } },
	"GET /tunnel/interfaces/t": { ...meta, id: "t", name: "wg0", mode: "server", active: true, address_cidr: "" },
	"GET /uplinks": [{ ...meta, id: "u", name: "fibre", interface: "eth0", active: true }],
	"GET /uplinks/u": { ...meta, id: "u", name: "fibre", interface: "eth0", active: true },
	"GET /uplink-members": [],
	"GET /uplink-groups": [{ ...meta, id: "g", name: "all", family: "inet", is_default: true }],
	"GET /uplinks/status": {
		uplinks: [{ id: "u", state: "up", in_use: true, loss: 0, rtt_ms: 2, since: moment, history: [], back_at: null }],
		groups: [{ id: "g", usable: true, empty: false, using: ["u"] }],
	},
	"GET /dns/stats": { queries: 1, hit_rate: 0.5, cache_hits: 1, cache_misses: 1, uptime: 4242 },
	"GET /certificates": [{ ...certificate, not_before: moment, expires_at: inAYear }],
	"GET /dhcp/status": {
		uptime: 9,
		sockets: "ready",
		interfaces: [{ interface: "eth1", zone: "lan", listening: true, subnets: ["192.0.2.0/24"] }],
	},
	"GET /dhcp/leases": [{ address: "192.0.2.100", mac: "02:00:5e:00:53:01", state: "assigned", hostname: "a" }],
	"GET /dhcp/subnets": [{ ...meta, id: "s", interface: "eth1", subnet: "192.0.2.0/24", pools: [], active: true }],
	"GET /dhcp/usage": [],
	"GET /radius/settings": { ...meta, id: "s", enabled: true, listen_addresses: [], zones: ["lan"] },
	"GET /radius/users": [{ ...meta, id: "u", name: "ann", enabled: true }],
	"GET /radius/clients": [{ ...meta, id: "c", name: "ap", address: "192.0.2.9", require_message_authenticator: true }],
	"GET /radius/sign-ins": {
		recent: [{ at: moment, user: "ann", result: "accepted", client: "ap" }],
		users: { ann: { at: moment, result: "accepted" } },
	},
	"GET /certificates/summary": { total: 1, errors: 0, expired: 0, expiring: 0 },
	"GET /audit/recent": [],
	"GET /system/resources": {
		cpu: { busy_seconds: 1, total_seconds: 2 },
		disk: { free: 1, total: 2, used: 1 },
		memory: { available: 1, free: 1, swap_free: 0, swap_total: 0, total: 2, used: 1 },
		...{ load1: 0, load5: 0, load15: 0, num_cpus: 1, taken_at: moment, uptime_seconds: 1 },
	},
	"GET /changes/actors": [],
	"GET /changes": [
		{ ...meta, id: "x", action: "dns.zone.create", subject: "a", actor: "ann@example.com", apply: "live", rows: 1 },
	],
};
