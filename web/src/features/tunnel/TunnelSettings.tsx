import {
	defineSettings,
	getTunnelInterface,
	getTunnelInterfaceQueryKey,
	type TunnelInterface,
	type TunnelInterfaceInputWritable,
	updateTunnelInterface,
} from "@api";
import { SettingsForm } from "@ui/SettingsForm";
import { useMemo } from "react";
import { tunnelRisk } from "./risk";
import { form } from "./tunnelForm";

// The page has other things to begin with than its first input.
const fields = form.fields.map((field) => ({ ...field, focus: false }));

const settingsOf = (id: string) =>
	defineSettings<TunnelInterface, TunnelInterfaceInputWritable>({
		tag: "tunnel",
		component: "tunnel",
		risky: tunnelRisk,
		key: getTunnelInterfaceQueryKey({ path: { id } }),
		get: ({ signal }) => getTunnelInterface({ path: { id }, signal }),
		update: ({ body, headers }) => updateTunnelInterface({ path: { id }, body, headers }),
	});

/** TunnelSettings is how a tunnel is configured. */
export default function TunnelSettings({ id }: { id: string }) {
	const settings = useMemo(() => settingsOf(id), [id]);
	return <SettingsForm settings={settings} ns="tunnel/interface" schema={form.schema} fields={fields} />;
}
