import { Card, CardBody, CardTitle } from "@patternfly/react-core";
import { LiveChart, type LiveChartProps } from "@ui";
import { useTranslation } from "@ui/translation";

interface Props extends Omit<LiveChartProps, "label" | "height"> {
	title: string;
}

/** Chart is some lines under a title, or that there is nothing to draw yet. */
export function Chart({ title, atLeast = 1, ...rest }: Props) {
	const { t } = useTranslation("proxy");
	return (
		<Card isCompact>
			<CardTitle component="h2">{title}</CardTitle>
			<CardBody>
				{rest.series.length === 0 ? (
					<p className="gw-proxy-none">{t("traffic.none")}</p>
				) : (
					<LiveChart label={title} atLeast={atLeast} height={180} {...rest} />
				)}
			</CardBody>
		</Card>
	);
}
