import { Skeleton } from "@patternfly/react-core";
import { useTranslation } from "./translation";

/** Waiting stands where something will be. Give it about the same height, so that the page does not jump. */
export function Waiting({ height = "12rem" }: { height?: string }) {
	const { t } = useTranslation("ui");
	return <Skeleton height={height} screenreaderText={t("loading")} />;
}
