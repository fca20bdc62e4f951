import { SettingsForm } from "@ui/SettingsForm";
import { useMemo } from "react";
import { siteSettings } from "./settings";
import { schema, security } from "./siteFields";

/** SecurityForm is what a site demands of browsers and of clients. */
export default function SecurityForm({ id }: { id: string }) {
	const settings = useMemo(
		() =>
			siteSettings(
				id,
				security.map((field) => field.name),
			),
		[id],
	);
	return <SettingsForm settings={settings} ns="proxy/site" schema={schema} fields={security} />;
}
