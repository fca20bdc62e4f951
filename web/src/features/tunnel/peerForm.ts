import { zTunnelPeerInputWritable } from "@api/schemas";
import { useParams } from "@tanstack/react-router";
import type { FormSpec } from "@ui";
import { useTunnelChoices } from "./requests";

export const form: FormSpec = {
	schema: zTunnelPeerInputWritable,
	useInitial,
	fields: [
		{ name: "name", focus: true, section: "peer" },
		{ name: "interface_id", kind: "choice", useChoices: useTunnelChoices, section: "peer" },
		{ name: "allowed_ips", required: false, section: "peer" },
		{ name: "endpoint", required: false, section: "peer" },
		{ name: "public_key", required: false, section: "keys" },
		{ name: "preshared_key", kind: "password", required: false, autoComplete: "off", section: "keys" },
		{ name: "generate_preshared_key", section: "keys" },
		{ name: "active", initial: true, section: "advanced" },
		{ name: "expires_at", kind: "moment", required: false, section: "advanced" },
		{ name: "keepalive", unit: "seconds", presets: [0, 25], section: "advanced" },
		{ name: "description", kind: "textarea", required: false, section: "advanced" },
	],
};

/** useInitial begins with the tunnel whose page it is, or with the only one there is. */
function useInitial() {
	const { id } = useParams({ strict: false }) as { id?: string };
	const tunnels = useTunnelChoices();
	return { interface_id: id ?? (tunnels.length === 1 ? tunnels[0]?.value : undefined) };
}
