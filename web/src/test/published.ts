import { ok } from "./server";

const health = { version: "1.0.0", hostname: "gw1", os: "", kernel: "", database: true, setup_complete: true };
/** ann is an administrator. */
export const ann = { id: "1", email: "ann@example.com", role: "admin", totp_enabled: false, limited: false };
const meta = { revision: 3, created_at: "2026-01-01T00:00:00Z", updated_at: "2026-01-01T00:00:00Z" };
const pool = {
	...meta,
	id: "p1",
	name: "Web",
	scheme: "http",
	lb_algorithm: "roundrobin",
	active: true,
	servers: [],
};
/** site is a domain of it. */
export const site = {
	...meta,
	id: "d1",
	name: "www.example.com",
	backend_id: "p1",
	active: true,
	allow_from: [],
	notes: "",
};
const rule = (id: string, path_prefix: string, priority: number) => ({
	...meta,
	id,
	domain_id: "d1",
	path_prefix,
	backend_id: "p1",
	priority,
	active: true,
});
const link = { ifname: "eth0", flags: ["UP"], addr_info: [{ local: "192.0.2.1", scope: "global" }] };

/** published is what the pages of the reverse proxy ask for. */
export const published = {
	"GET /system/health": () => ok(health),
	"GET /auth/me": () => ok(ann),
	"GET /system/components": () => ok([]),
	"GET /system/interfaces": () => ok([link]),
	"GET /system/acme": () => ok({ terms_agreed: false }),
	"GET /certificates": () => ok([]),
	"POST /proxy/reach": () => ok({ servers: [] }),
	"GET /proxy/stats": () => ok({ backends: [], frontends: [], error: null }),
	"GET /backends": () => ok([pool], { "X-Total-Count": "1" }),
	"GET /backends/p1": () => ok(pool),
	"GET /domains": () => ok([], { "X-Total-Count": "0" }),
	"GET /domains/d1": () => ok(site),
	"GET /routing-rules": () => ok([rule("r1", "/a/", 10), rule("r2", "/b/", 20)], { "X-Total-Count": "2" }),
};
