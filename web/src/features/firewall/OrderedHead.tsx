import { TickBox } from "@ui/TickBox";
import { useTranslation } from "react-i18next";

interface Props {
	columns: string[];
	/** How many rows are ticked; undefined where none can be. */
	ticked: "none" | "some" | "all" | undefined;
	onTick: (on: boolean) => void;
}

/** OrderedHead says what stands in the rows of an OrderedList, and ticks all of them. */
export function OrderedHead({ columns, ticked, onTick }: Props) {
	const { t } = useTranslation("firewall");
	return (
		<div className="gw-fw-head">
			{ticked && (
				<span className="gw-fw-tick">
					<TickBox label={t("ui:bulk.all")} ticked={ticked === "all"} partly={ticked === "some"} onTick={onTick} />
				</span>
			)}
			<span className="gw-fw-place">{t("order.number")}</span>
			<span className="gw-fw-row">
				{columns.map((title) => (
					<span key={title} title={title}>
						{title}
					</span>
				))}
			</span>
		</div>
	);
}
