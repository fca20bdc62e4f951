import { SettingsForm } from "@ui/SettingsForm";
import { useMemo } from "react";
import { form } from "./interfaceForm";
import { interfaceSettings } from "./settings";

// The page has other things to begin with than its first input.
const fields = form.fields.map((field) => ({ ...field, focus: false }));

/** InterfaceSettings is how an interface is configured. */
export default function InterfaceSettings({ id }: { id: string }) {
	const settings = useMemo(() => interfaceSettings(id), [id]);
	return <SettingsForm settings={settings} ns="network/link" schema={form.schema} fields={fields} />;
}
