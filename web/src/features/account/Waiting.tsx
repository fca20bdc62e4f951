import { Skeleton } from "@patternfly/react-core";
import { useTranslation } from "react-i18next";

/** Waiting stands where a list will be. */
export function Waiting() {
	const { t } = useTranslation("ui");
	return (
		<div className="gw-account">
			<Skeleton height="8rem" screenreaderText={t("loading")} />
		</div>
	);
}
