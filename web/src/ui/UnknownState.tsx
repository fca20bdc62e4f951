import { useTranslation } from "react-i18next";
import { StatusLabel } from "./StatusLabel";

/** UnknownState stands where nobody knows how something is at this moment. */
export function UnknownState() {
	const { t } = useTranslation("ui");
	return <StatusLabel status="neutral">{t("objectState.unknown")}</StatusLabel>;
}
