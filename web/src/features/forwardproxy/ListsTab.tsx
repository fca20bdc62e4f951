import type { ForwardproxyList } from "@api";
import { ListIcon } from "@patternfly/react-icons";
import { type Column, later, ResourceSection, type RowDialog } from "@ui";
import { useTranslation } from "@ui/translation";
import { lists } from "./resource";

const NamesDialog = later("names of a list", () => import("./NamesDialog"));
const ReplaceDialog = later("all names of a list", () => import("./ReplaceDialog"));

/** ListsTab is the lists of names that access rules refer to. Their names are seen and changed in dialogs: there may be a million. */
export function ListsTab() {
	const { t, i18n } = useTranslation("forwardproxy");
	const columns: Column<ForwardproxyList>[] = [
		{ key: "name", title: t("list.field.name"), sortable: true, width: 25 },
		{
			key: "size",
			title: t("list.size"),
			sortable: true,
			width: 15,
			cell: ({ size }) => size.toLocaleString(i18n.language),
		},
		{ key: "description", title: t("list.field.description") },
	];
	const dialogs: RowDialog<ForwardproxyList>[] = [
		{ id: "names", title: t("names.title"), dialog: (list, onClose) => <NamesDialog list={list} onClose={onClose} /> },
		{
			id: "replace",
			title: t("replace.title"),
			dialog: (list, onClose) => <ReplaceDialog list={list} onClose={onClose} />,
		},
	];
	return (
		<ResourceSection
			resource={lists}
			ns="forwardproxy/list"
			icon={ListIcon}
			columns={columns}
			defaultSort="name"
			dialogs={dialogs}
			form={() => import("./listForm")}
		/>
	);
}
