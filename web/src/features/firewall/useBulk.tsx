import type { Resource, Row } from "@api";
import { type BulkAction, later } from "@ui";
import { useTranslation } from "react-i18next";
import type { Order } from "./useSaveOrder";

const MoveDialog = later(
	"move rules",
	() => import("./MoveDialog"),
) as unknown as typeof import("./MoveDialog").default;

interface Given<R extends Row> {
	source: Pick<Resource<R, never>, "list">;
	order: Order;
	/** A row as an update takes it. */
	inputOf: (row: R) => object;
	/** Said before rows are enabled that need a second thought. */
	warns?: (rows: R[]) => Promise<string | undefined>;
}

/** useBulk is what can be done to many rules at once, beside deleting them. */
export function useBulk<R extends Row & { enabled: boolean }>({
	source,
	order,
	inputOf,
	warns,
}: Given<R>): BulkAction<R>[] {
	const { t } = useTranslation("firewall");
	const switched = (enabled: boolean): BulkAction<R> => ({
		id: enabled ? "enable" : "disable",
		title: t(enabled ? "rule.turnOn" : "rule.turnOff"),
		fits: (rule) => rule.enabled !== enabled,
		skipped: t(enabled ? "rule.isOn" : "rule.isOff"),
		warns: enabled ? warns : undefined,
		step: (rule) => ({ method: "PUT", body: { ...inputOf(rule), enabled } }),
	});
	return [
		switched(true),
		switched(false),
		{
			id: "move",
			title: t("order.bulk"),
			dialog: (given) => <MoveDialog source={source} order={order} {...given} />,
		},
	];
}
