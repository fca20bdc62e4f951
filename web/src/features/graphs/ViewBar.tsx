import "./graphs.css";
import { Button, ToggleGroup, ToggleGroupItem } from "@patternfly/react-core";
import { formatShort } from "@ui";
import { useTranslation } from "@ui/translation";
import { type Range, ranges } from "./charts";
import type { View } from "./useView";

interface RangesProps {
	/** undefined when none of them is shown. */
	range: Range | undefined;
	among?: Range[];
	onChoose: (range: Range) => void;
}

/** Ranges lets one choose how far back to look. */
export function Ranges({ range, among = Object.keys(ranges) as Range[], onChoose }: RangesProps) {
	const { t } = useTranslation("graphs");
	return (
		<ToggleGroup aria-label={t("range.label")}>
			{among.map((one) => (
				<ToggleGroupItem key={one} text={t(`range.${one}`)} isSelected={one === range} onChange={() => onChoose(one)} />
			))}
		</ToggleGroup>
	);
}

/** ViewBar says what the charts show, and zooms for those who cannot drag: by keys, or on a phone. */
export function ViewBar({ view: { range, span, zoomed, shared, choose, reset } }: { view: View }) {
	const { t } = useTranslation("graphs");
	const [from, to] = [span.since, span.until].map((at) => formatShort(new Date(at * 1_000)));
	return (
		<>
			<div className="gw-graphs-bar">
				<Ranges range={zoomed ? undefined : range} onChoose={choose} />
				<Button variant="secondary" size="sm" onClick={() => shared.onScale("in")}>
					{t("zoom.in")}
				</Button>
				<Button variant="secondary" size="sm" onClick={() => shared.onScale("out")}>
					{t("zoom.out")}
				</Button>
				{zoomed && (
					<Button variant="link" size="sm" onClick={reset}>
						{t("zoom.reset")}
					</Button>
				)}
				<span role="status" className="gw-subtle">
					{zoomed && t("zoom.span", { from, to })}
				</span>
			</div>
			<p className="gw-subtle gw-graphs-hint">{t("zoom.hint")}</p>
		</>
	);
}
