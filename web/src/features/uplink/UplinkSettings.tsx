import { defineSettings, getUplink, getUplinkQueryKey, type Uplink, type UplinkInput, updateUplink } from "@api";
import { SettingsForm } from "@ui/SettingsForm";
import { useMemo } from "react";
import { uplinked } from "./resource";
import { form } from "./uplinkForm";

// The page has other things to begin with than its first input.
const fields = form.fields.map((field) => ({ ...field, focus: false }));

const settingsOf = (id: string) =>
	defineSettings<Uplink, UplinkInput>({
		...uplinked,
		key: getUplinkQueryKey({ path: { id } }),
		get: ({ signal }) => getUplink({ path: { id }, signal }),
		update: ({ body, headers }) => updateUplink({ path: { id }, body, headers }),
	});

/** UplinkSettings is how an uplink is configured. */
export default function UplinkSettings({ id }: { id: string }) {
	const settings = useMemo(() => settingsOf(id), [id]);
	return <SettingsForm settings={settings} ns="uplink/uplink" schema={form.schema} fields={fields} />;
}
