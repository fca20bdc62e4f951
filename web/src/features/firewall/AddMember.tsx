import type { ChoiceSource } from "@ui";
import { SearchInput } from "@ui/SearchInput";
import { useTranslation } from "@ui/translation";

/** AddMember puts what is found into a group, one after the other. */
export function AddMember({ source, onAdd }: { source: ChoiceSource; onAdd: (id: string) => void }) {
	const { t } = useTranslation("firewall");
	return (
		<div className="gw-fw-add">
			<label htmlFor="add-member">{t("members.add")}</label>
			<SearchInput
				id="add-member"
				label={t("members.add")}
				placeholder={t("members.addHint")}
				source={source}
				value=""
				onChange={(id) => id && onAdd(id)}
			/>
		</div>
	);
}
