import type { ChangeRecord } from "@api";
import { StatusLabel, UnknownState } from "@ui";
import { useTranslation } from "react-i18next";
import { looks, stateOf } from "./state";

interface Props {
	change: ChangeRecord;
	/** The change was looked at just now. */
	current: boolean;
}

/** StateLabel says what became of a change. Whether one that was live still is, only the server knows. */
export function StateLabel({ change, current }: Props) {
	const { t } = useTranslation("change");
	const state = stateOf(change);
	if (looks[state] === "success" && !current) return <UnknownState />;
	return <StatusLabel status={looks[state]}>{t(`state.${state}`)}</StatusLabel>;
}
