import { later, type RowDialog } from "@ui";
import { useTranslation } from "@ui/translation";
import type { UsesQuery } from "./UsedBy";

const UsesDialog = later("where used", () => import("./UsesDialog"));

/** useUses is the entry of a row's menu that shows where something is used. */
export function useUses<R>(id: string, name: (row: R) => string, query: (row: R) => UsesQuery): RowDialog<R> {
	const { t } = useTranslation("firewall");
	return {
		id: `uses-of-${id}`,
		title: t("uses.open"),
		dialog: (row, close) => <UsesDialog name={name(row)} query={query(row)} onClose={close} />,
	};
}
