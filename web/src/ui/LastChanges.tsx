import { type ChangeRecord, listChangesOptions } from "@api";
import { useQuery } from "@tanstack/react-query";
import { ChangeList } from "./ChangeList";
import { DashCard } from "./DashCard";
import { Loaded } from "./Loaded";
import { useTranslation } from "./translation";

const shown = 5;
/** The server finds names that contain this one, too. */
const asked = 50;

interface Props {
	/** Table of the object. */
	table: string;
	name: string;
}

/** LastChanges is what was changed of an object lately, on its own page. */
export function LastChanges({ table, name }: Props) {
	const { t } = useTranslation("ui");
	const query = useQuery({
		...listChangesOptions({ query: { table, q: name, limit: asked } }),
		refetchInterval: 10_000,
	});
	return (
		<DashCard
			title={t("lastChanges.title")}
			to={`/changes?${new URLSearchParams({ table, q: name })}`}
			more={t("lastChanges.more")}
		>
			<Loaded query={query} height="6rem">
				{(all, current) => {
					const changes = all.filter((one) => isOf(one, name)).slice(0, shown);
					if (changes.length === 0) return <p className="gw-subtle">{t("lastChanges.none")}</p>;
					return <ChangeList changes={changes} current={current} />;
				}}
			</Loaded>
		</DashCard>
	);
}

/** isOf says that a change is of the object with this name. One of many objects has no name of a single one. */
const isOf = ({ subject, rows }: ChangeRecord, name: string) => subject === name || rows > 1;
