import type { Resource } from "@api";
import { type BulkAction, later } from "@ui";
import { useTranslation } from "@ui/translation";
import type { Labelled } from "./labelling";

const LabelDialog = later(
	"label rules",
	() => import("./LabelDialog"),
) as unknown as typeof import("./LabelDialog").default;

/** useLabelBulk labels many rules at once. */
export function useLabelBulk<R extends Labelled>(
	source: Pick<Resource<R, never>, "path" | "tag" | "name" | "component">,
	inputOf: (row: R) => object,
): BulkAction<R> {
	const { t } = useTranslation("firewall");
	return {
		id: "label",
		title: t("labels.title"),
		dialog: (given) => <LabelDialog source={source} inputOf={inputOf} {...given} />,
	};
}
