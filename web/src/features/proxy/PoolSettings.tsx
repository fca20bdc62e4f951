import { SettingsForm } from "@ui/SettingsForm";
import { useMemo } from "react";
import { form } from "./poolForm";
import { poolSettings } from "./settings";

/** PoolSettings is how a pool's servers are spoken to, chosen and checked. */
export default function PoolSettings({ id }: { id: string }) {
	const settings = useMemo(() => poolSettings(id), [id]);
	return <SettingsForm settings={settings} ns="proxy/pool" schema={form.schema} fields={form.fields} />;
}
