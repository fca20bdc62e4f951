import { Time } from "./Time";
import { useTranslation } from "./translation";

/** ProblemsAsOf marks a list of problems that is not all, or that nobody can look at again now. */
export function ProblemsAsOf({ at, unseen }: { at: string | undefined; unseen: string }) {
	const { t } = useTranslation("ui");
	return (
		<>
			{at && (
				<p className="gw-subtle">
					{t("problem.asOf")} <Time value={at} exact />
				</p>
			)}
			{unseen && <p className="gw-subtle">{t("problem.unknown", { names: unseen })}</p>}
		</>
	);
}
