import { SettingsForm } from "@ui/SettingsForm";
import { useMemo } from "react";
import { siteSettings } from "./settings";
import { basics, schema } from "./siteFields";

/** BasicsTab is the name of a site and where it leads. */
export default function BasicsTab({ id }: { id: string }) {
	const settings = useMemo(
		() =>
			siteSettings(
				id,
				basics.map((field) => field.name),
			),
		[id],
	);
	return <SettingsForm settings={settings} ns="proxy/site" schema={schema} fields={basics} />;
}
