import { Notice } from "@ui";
import { useTranslation } from "@ui/translation";
import { type Control, useFormState, useWatch } from "react-hook-form";
import { useGroups } from "./requests";

/** DefaultHint names the group that is the default already: the server refuses a second one of the family. */
export function DefaultHint({ control }: { control: Control }) {
	const { t } = useTranslation("uplink");
	const [on, family] = useWatch({ control, name: ["is_default", "family"] });
	const { defaultValues } = useFormState({ control });
	const other = useGroups().find(
		(group) => group.is_default && group.family === family && group.name !== defaultValues?.name,
	);
	if (!on || !other) return null;
	return <Notice kind="warning" title={t("group.taken", { name: other.name })} />;
}
