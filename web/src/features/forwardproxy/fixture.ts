const health = { version: "1.0.0", hostname: "gw1", os: "", kernel: "", database: true, setup_complete: true };
const meta = { revision: 3, created_at: "2026-01-01T00:00:00Z", updated_at: "2026-01-01T00:00:00Z" };
export const ann = { id: "1", email: "ann@example.com", role: "admin", totp_enabled: false, limited: false };
export const settings = {
	...meta,
	id: "s",
	enabled: true,
	port: 3128,
	listen_addresses: ["192.0.2.1", "2001:db8::1"],
	zones: ["lan"],
	allowed_networks: ["192.0.2.0/24"],
	default_action: "deny",
	ports: ["80", "443"],
	connect_ports: ["443"],
	cache_size: 64,
	parent_host: "",
	parent_port: 3128,
	dns_servers: [],
	access_log: true,
	log_retention: 30,
	contact: "",
};
const acl = (id: string, more: object) => ({
	...meta,
	id,
	action: "deny",
	type: "domain",
	value: "example.com",
	only_from: [],
	only_during: "",
	name: "",
	priority: 10,
	enabled: true,
	description: "",
	...more,
});
export const acls = [
	acl("a1", { name: "No downloads", only_during: "mon,tue,wed,thu,fri 08:00-18:00", only_from: ["192.0.2.64/26"] }),
	acl("a2", { action: "allow", type: "method", value: "GET", priority: 20 }),
	acl("a3", { type: "user_agent", value: "<b>curl</b>", priority: 30, enabled: false }),
];
export const lists = [{ ...meta, id: "l1", name: "ads", description: "Of a provider", size: 1234 }];
const stats = {
	version: "6.13",
	uptime: 60,
	cpu: 1,
	clients: 3,
	requests: 200,
	hits: 50,
	errors: 2,
	bytes_in: 1,
	bytes_out: 2,
	hit_bytes_out: 1,
	server_requests: 150,
	server_errors: 0,
	server_bytes_in: 1,
	server_bytes_out: 1,
	cache_bytes: 1,
	open_descriptors: 10,
	max_descriptors: 100,
};

/** answers are what a small gateway has, by the request. */
export const answers: Record<string, unknown> = {
	"GET /problems": { version: "1", problems: [], unknown: [], counts: {} },
	"GET /system/health": health,
	"GET /auth/me": ann,
	"GET /system/components": [],
	"GET /problems/states/forward-proxy": { known: true, states: {} },
	"GET /problems/states/service": { known: true, states: {} },
	"GET /firewall/zones": [{ ...meta, id: "z1", name: "lan", description: "", builtin: true }],
	"GET /forward-proxy/settings": settings,
	"GET /forward-proxy/stats": stats,
	"GET /forward-proxy/acls": acls,
	"GET /forward-proxy/lists": lists,
	"GET /forward-proxy/lists/l1": lists[0],
	"GET /forward-proxy/acls/a1": acls[0],
	"GET /forward-proxy/acls/a2": acls[1],
};
