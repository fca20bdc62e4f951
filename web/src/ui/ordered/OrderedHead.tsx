import { TickBox } from "../TickBox";
import { useTranslation } from "../translation";

interface Props {
	columns: string[];
	/** How many rows are ticked; undefined where none can be. */
	ticked: "none" | "some" | "all" | undefined;
	onTick: (on: boolean) => void;
}

/** OrderedHead says what stands in the rows of an OrderedList, and ticks all of them. */
export function OrderedHead({ columns, ticked, onTick }: Props) {
	const { t } = useTranslation("ui");
	return (
		<div className="gw-ordered-head">
			{ticked && (
				<span className="gw-ordered-tick">
					<TickBox label={t("bulk.all")} ticked={ticked === "all"} partly={ticked === "some"} onTick={onTick} />
				</span>
			)}
			<span className="gw-ordered-place">{t("order.number")}</span>
			<span className="gw-ordered-row">
				{columns.map((title) => (
					<span key={title} title={title}>
						{title}
					</span>
				))}
			</span>
		</div>
	);
}
