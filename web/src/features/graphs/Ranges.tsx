import "./graphs.css";
import { ToggleGroup, ToggleGroupItem } from "@patternfly/react-core";
import { useUrlState } from "@ui";
import { useTranslation } from "react-i18next";
import { type Range, rangeOf, ranges } from "./charts";

/** useRange is how far back is looked; it is in the address, so that it can be shared. */
export function useRange(): Range {
	const [search] = useUrlState();
	return rangeOf(search.range);
}

/** Ranges lets one choose how far back to look. */
export function Ranges() {
	const { t } = useTranslation("graphs");
	const [, set] = useUrlState();
	const range = useRange();
	return (
		<ToggleGroup aria-label={t("range.label")} className="gw-graphs-ranges">
			{(Object.keys(ranges) as Range[]).map((one) => (
				<ToggleGroupItem
					key={one}
					text={t(`range.${one}`)}
					isSelected={one === range}
					onChange={() => set({ range: one }, { push: true })}
				/>
			))}
		</ToggleGroup>
	);
}
