import type { ChangeRecord } from "@api";
import { looks, stateOf } from "./changeState";
import { StatusLabel } from "./StatusLabel";
import { useTranslation } from "./translation";
import { UnknownState } from "./UnknownState";

interface Props {
	change: ChangeRecord;
	/** The change was looked at just now. */
	current: boolean;
}

/** ChangeState says what became of a change. Whether one that was live still is, only the server knows. */
export function ChangeState({ change, current }: Props) {
	const { t } = useTranslation("ui");
	const state = stateOf(change);
	if (looks[state] === "success" && !current) return <UnknownState />;
	return <StatusLabel status={looks[state]}>{t(`changeState.${state}`)}</StatusLabel>;
}
