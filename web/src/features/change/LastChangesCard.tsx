import { listChangesOptions } from "@api";
import { useQuery } from "@tanstack/react-query";
import { ChangeList, Loaded } from "@ui";
import { DashCard } from "@ui/DashCard";
import { useTranslation } from "@ui/translation";

const many = 5;

/** LastChangesCard is what was changed lately, and what became of it; a change can be reverted on its page. */
export function LastChangesCard() {
	const { t } = useTranslation("change");
	const query = useQuery({ ...listChangesOptions({ query: { limit: many } }), refetchInterval: 10_000 });
	return (
		<DashCard title={t("card.title")} to="/changes" more={t("title")}>
			<Loaded query={query}>
				{(changes, current) =>
					changes.length === 0 ? (
						<p className="gw-subtle">{t("empty")}</p>
					) : (
						<ChangeList changes={changes} current={current} />
					)
				}
			</Loaded>
		</DashCard>
	);
}
