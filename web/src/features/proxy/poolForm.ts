import { zProxyBackendInput } from "@api/schemas";
import type { FormSpec } from "@ui";

const http = { scheme: ["http", "https"] };
const https = { scheme: ["https"] };
const checked = { health_check: ["true"] };

export const form: FormSpec = {
	schema: zProxyBackendInput,
	fields: [
		{ name: "name", focus: true, section: "backend" },
		{ name: "scheme", initial: "http", section: "backend" },
		{ name: "lb_algorithm", initial: "roundrobin", section: "backend" },
		{ name: "active", initial: true, section: "backend" },
		{ name: "verify_tls", when: https, section: "tls" },
		{ name: "tls_server_name", when: https, section: "tls" },
		{ name: "health_check", initial: true, wide: true, section: "health" },
		{ name: "health_path", initial: "/", when: { ...http, ...checked }, section: "health" },
		{
			name: "health_interval",
			initial: 5,
			unit: "seconds",
			presets: [2, 5, 10, 30],
			when: checked,
			section: "health",
		},
		{ name: "sticky", when: http, section: "advanced" },
		{ name: "websocket", when: http, section: "advanced" },
		{ name: "force_http1", when: https, section: "advanced" },
		{ name: "health_host", when: { ...http, ...checked }, section: "advanced" },
		{ name: "health_status", initial: 0, narrow: true, when: { ...http, ...checked }, section: "advanced" },
	],
};
