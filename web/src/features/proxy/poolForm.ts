import { zProxyBackendInput } from "@api/schemas";
import type { FormSpec } from "@ui";

const http = { scheme: ["http", "https"] };
const https = { scheme: ["https"] };
const checked = { health_check: ["true"] };

export const form: FormSpec = {
	schema: zProxyBackendInput,
	useInitial: () => ({
		scheme: "http",
		lb_algorithm: "roundrobin",
		active: true,
		health_check: true,
		health_interval: 5,
		health_path: "/",
	}),
	fields: [
		{ name: "name", focus: true },
		{ name: "scheme" },
		{ name: "lb_algorithm" },
		{ name: "active" },
		{ name: "verify_tls", when: https },
		{ name: "tls_server_name", when: https },
		{ name: "sticky", when: http },
		{ name: "websocket", when: http },
		{ name: "force_http1", when: https },
		{ name: "health_check" },
		{ name: "health_path", when: { ...http, ...checked } },
		{ name: "health_host", when: { ...http, ...checked } },
		{ name: "health_status", narrow: true, when: { ...http, ...checked } },
		{ name: "health_interval", narrow: true, when: checked },
	],
};
