import type { Row } from "@api";
import type { BulkAction } from "../BulkBar";
import { later } from "../later";
import { useTranslation } from "../translation";
import { useSwitchBulk } from "../useSwitchBulk";
import type { Order, Ordered } from "./useSaveOrder";

const MoveDialog = later(
	"move rules",
	() => import("./MoveDialog"),
) as unknown as typeof import("./MoveDialog").default;

interface Given<R extends Row> {
	source: Ordered<R>;
	order: Order;
	/** A row as an update takes it. */
	inputOf: (row: R) => object;
	/** Said before rows are enabled that need a second thought. */
	warns?: (rows: R[]) => Promise<string | undefined>;
}

/** useOrderedBulk is what can be done to many rules at once, beside deleting them. */
export function useOrderedBulk<R extends Row & { enabled: boolean }>({
	source,
	order,
	inputOf,
	warns,
}: Given<R>): BulkAction<R>[] {
	const { t } = useTranslation("ui");
	const switched = useSwitchBulk<"enabled", R>("enabled", inputOf, warns);
	return [
		...switched,
		{
			id: "move",
			title: t("order.bulk"),
			dialog: (given) => <MoveDialog source={source} order={order} {...given} />,
		},
	];
}
