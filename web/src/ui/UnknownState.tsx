import { StatusLabel } from "./StatusLabel";
import { useTranslation } from "./translation";

/** UnknownState stands where nobody knows how something is at this moment. */
export function UnknownState() {
	const { t } = useTranslation("ui");
	return <StatusLabel status="neutral">{t("objectState.unknown")}</StatusLabel>;
}
