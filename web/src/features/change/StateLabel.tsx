import type { ChangeRecord } from "@api";
import { StatusLabel } from "@ui";
import { useTranslation } from "react-i18next";
import { looks, stateOf } from "./state";

/** StateLabel says what became of a change. */
export function StateLabel({ change }: { change: ChangeRecord }) {
	const { t } = useTranslation("change");
	const state = stateOf(change);
	return <StatusLabel status={looks[state]}>{t(`state.${state}`)}</StatusLabel>;
}
