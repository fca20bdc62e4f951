import { useTranslation } from "react-i18next";
import { Time } from "./Time";

/** ProblemsAsOf marks a list of problems that nobody can look at again now. */
export function ProblemsAsOf({ at }: { at: string | undefined }) {
	const { t } = useTranslation("ui");
	if (!at) return null;
	return (
		<p className="gw-subtle">
			{t("problem.asOf")} <Time value={at} exact />
		</p>
	);
}
