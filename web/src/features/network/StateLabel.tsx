import type { SysInterface } from "@api";
import { StatusLabel } from "@ui";
import { useTranslation } from "@ui/translation";
import { looks, type State } from "./state";

interface Props {
	state: State;
	link?: SysInterface;
	/** Nobody has said that it should work. */
	calm?: boolean;
}

/** StateLabel is how an interface that is not configured is, by what the kernel has, and why, for whoever points at it. */
export function StateLabel({ state, link, calm }: Props) {
	const { t } = useTranslation("network");
	const flags = link ? ` (${link.flags.join(", ").toLowerCase()})` : "";
	return (
		<span title={`${t(`why.${state}`)}${flags}`}>
			<StatusLabel status={calm && state !== "up" ? "neutral" : looks[state]}>{t(`state.${state}`)}</StatusLabel>
		</span>
	);
}
