import {
	defineSettings,
	getNetworkInterface,
	getNetworkInterfaceQueryKey,
	type NetworkInterface,
	type NetworkInterfaceInput,
	updateNetworkInterface,
} from "@api";
import { networked } from "./networked";
import { interfaceRisk } from "./risk";

/** interfaceSettings are one interface, for its own page. */
export const interfaceSettings = (id: string) =>
	defineSettings<NetworkInterface, NetworkInterfaceInput>({
		...networked,
		risky: interfaceRisk,
		key: getNetworkInterfaceQueryKey({ path: { id } }),
		get: ({ signal }) => getNetworkInterface({ path: { id }, signal }),
		update: ({ body, headers }) => updateNetworkInterface({ path: { id }, body, headers }),
	});
