import { useStates } from "@api";
import { Link } from "./Link";
import { Notice } from "./Notice";
import { useKindOf } from "./service";
import { useTranslation } from "./translation";

/** OffNotice says on a page that its service is switched off, and leads to the setting. */
export function OffNotice({ id, settings }: { id: string; settings: string }) {
	const { t } = useTranslation("ui");
	if (useStates(useKindOf(id))(id)?.state !== "off") return null;
	return (
		<Notice kind="info" title={t("off.title")}>
			<Link to={settings}>{t("off.settings")}</Link>
		</Notice>
	);
}
