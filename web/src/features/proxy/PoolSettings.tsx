import { SettingsForm } from "@ui/SettingsForm";
import { useMemo } from "react";
import { form } from "./poolForm";
import { poolSettings } from "./settings";

// The page has other things to begin with than its first input.
const fields = form.fields.map((field) => ({ ...field, focus: false }));

/** PoolSettings is how a pool's servers are spoken to, chosen and checked. */
export default function PoolSettings({ id }: { id: string }) {
	const settings = useMemo(() => poolSettings(id), [id]);
	return <SettingsForm settings={settings} ns="proxy/pool" schema={form.schema} fields={fields} />;
}
