import type { Done, ForwardproxyList, ForwardproxyNamesEdit, ForwardproxyNamesResult } from "@api";
import { zForwardproxyNamesEdit } from "@api/schemas";
import { type Field, FormDialog } from "@ui";
import { useTranslation } from "@ui/translation";
import { useEditNames, useTellNames } from "./requests";

const fields: Field[] = [
	{ name: "add", focus: true, required: false, wide: true },
	{ name: "remove", required: false, wide: true },
];

/** NamesDialog adds names to a list and removes others. */
export default function NamesDialog({ list, onClose }: { list: ForwardproxyList; onClose: () => void }) {
	const { t } = useTranslation("forwardproxy");
	const { mutateAsync } = useEditNames(list);
	const tellNames = useTellNames(list);
	const done = (came: Done<ForwardproxyNamesResult>) => {
		tellNames(came);
		onClose();
	};
	return (
		<FormDialog<ForwardproxyNamesEdit, Done<ForwardproxyNamesResult>>
			title={t("names.title")}
			description={t("names.text", { name: list.name })}
			schema={zForwardproxyNamesEdit}
			ns="forwardproxy/names"
			fields={fields}
			submit={mutateAsync}
			submitLabel={t("names.submit")}
			onDone={done}
			onClose={onClose}
		/>
	);
}
