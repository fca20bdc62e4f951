import { Card, CardBody, CardTitle } from "@patternfly/react-core";
import type { Point } from "@ui/history";
import { Trend } from "./Trend";

interface Props {
	title: string;
	/** The value now, large. */
	value: string;
	/** What the value is a part of. */
	detail: string;
	points: Point[];
	/** Key of the line in the points. */
	line: string;
	format: (value: number) => string;
	atLeast?: number;
}

/** MetricCard shows one figure of the node: now in large, and the last minutes below. */
export function MetricCard({ title, value, detail, points, line, format, atLeast }: Props) {
	return (
		<Card isCompact className="gw-metric">
			<CardTitle component="h2">{title}</CardTitle>
			<CardBody>
				<p className="gw-metric-value">{value}</p>
				<p className="gw-subtle">{detail}</p>
				<Trend label={title} points={points} lines={[{ key: line, label: title }]} format={format} atLeast={atLeast} />
			</CardBody>
		</Card>
	);
}
