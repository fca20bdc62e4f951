const health = { version: "1.0.0", hostname: "gw1", os: "", kernel: "", database: true, setup_complete: true };
const ann = { id: "1", email: "ann@example.com", role: "admin", totp_enabled: false, limited: false };
const meta = { revision: 3, created_at: "2026-01-01T00:00:00Z", updated_at: "2026-01-01T00:00:00Z" };

const link = (id: string, name: string, type: string, more: object = {}) => ({
	...meta,
	id,
	name,
	type,
	role: null,
	parent: "",
	vlan_id: null,
	members: [],
	description: "",
	mtu: null,
	bond_mode: "",
	lacp_rate: "",
	hash_policy: "",
	primary: "",
	miimon: null,
	stp: false,
	vlan_filtering: false,
	...more,
});

export const interfaces = [
	link("i1", "eth0", "ethernet", { role: "wan" }),
	link("i2", "bond0", "bond", { members: ["eth1", "eth3"], bond_mode: "802.3ad", lacp_rate: "fast" }),
	link("i3", "bond0.20", "vlan", { parent: "bond0", vlan_id: 20, role: "lan" }),
];

const seen = (ifindex: number, ifname: string, flags: string[], addr_info: object[] = []) => ({
	ifindex,
	ifname,
	flags,
	addr_info,
	mtu: 1500,
	link_type: "ether",
	address: "02:00:00:00:00:01",
	rx_bytes: 1000,
	tx_bytes: 2000,
	rx_packets: 10,
	tx_packets: 20,
	rx_drop: 0,
	tx_drop: 3,
});

export const address = {
	...meta,
	id: "a1",
	interface_id: "i1",
	address: "192.0.2.1",
	prefix: 24,
	is_vip: false,
	vip_priority: 100,
	description: "",
};

const route = (id: string, destination: string, more: object = {}) => ({
	...meta,
	id,
	destination,
	type: "unicast",
	gateway: "192.0.2.254",
	dev: "",
	metric: null,
	table_name: "main",
	onlink: false,
	active: true,
	comment: "",
	...more,
});

export const routes = [
	route("r1", "10.0.0.0/8"),
	route("r2", "198.51.100.0/24"),
	route("r3", "203.0.113.0/24", { active: false }),
];

const live = (destination: string, more: object = {}) => ({
	destination,
	family: "inet",
	type: "unicast",
	gateway: "192.0.2.254",
	dev: "eth0",
	source: "",
	metric: 0,
	table_name: "main",
	protocol: "gateway",
	multipath: false,
	...more,
});

const wrong = (state: string, code: string, params: object = {}) => ({ state, code, params, message: "" });

/** answers are what a small gateway has, by the request. */
export const answers: Record<string, unknown> = {
	"GET /system/health": health,
	"GET /auth/me": ann,
	"GET /system/components": [],
	"GET /problems": { version: 1, problems: [], unknown: [], counts: {} },
	"GET /problems/states/network_interface": {
		known: true,
		states: {
			i2: wrong("no_carrier", "network.no_carrier", { interface: "bond0" }),
			i3: wrong("missing", "network.missing", { what: "interface bond0.20", why: "its parent bond0 does not exist" }),
		},
	},
	"GET /problems/states/ip_address": {
		known: true,
		states: {
			a2: wrong("not_applied", "network.absent", {
				what: "address 192.0.2.9/24 on eth0",
				what_words: { text: "address %s on %s", params: ["192.0.2.9/24", "eth0"] },
			}),
		},
	},
	"GET /problems/states/route": {
		known: true,
		states: {
			r2: wrong("not_applied", "network.absent", {
				what: "route 198.51.100.0/24",
				what_words: { text: "route %s", params: ["198.51.100.0/24"] },
			}),
			r3: wrong("disabled", ""),
		},
	},
	"GET /system/interfaces": [
		seen(1, "lo", ["LOOPBACK", "UP", "LOWER_UP"]),
		seen(
			2,
			"eth0",
			["UP", "LOWER_UP"],
			[
				{ family: "inet", local: "192.0.2.1", prefixlen: 24, scope: "global" },
				{ family: "inet6", local: "fe80::1", prefixlen: 64, scope: "link" },
			],
		),
		seen(3, "eth1", ["UP", "LOWER_UP"]),
		seen(4, "eth2", ["BROADCAST"]),
		seen(5, "bond0", ["UP"]),
	],
	"GET /network-interfaces": interfaces,
	"GET /network-interfaces/i1": interfaces[0],
	"GET /network-interfaces/i2": interfaces[1],
	"GET /network-interfaces/i1/ip-addresses": [address, { ...address, id: "a2", address: "192.0.2.9" }],
	"GET /ip-addresses/a1": address,
	"GET /firewall/zones": ["lan", "wan"].map((name) => ({ ...meta, id: name, name, description: "", builtin: true })),
	"GET /routes": routes,
	"GET /routes/r1": routes[0],
	"GET /routes/live": [
		live("0.0.0.0/0", { protocol: "dhcp", gateway: "192.0.2.1" }),
		live("10.0.0.0/8"),
		live("192.0.2.0/24", { protocol: "kernel", gateway: "" }),
	],
};
