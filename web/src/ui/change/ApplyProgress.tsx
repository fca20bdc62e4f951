import { useComponent } from "@api";
import { CheckCircleIcon, CircleIcon, InProgressIcon } from "@patternfly/react-icons";
import { useState } from "react";
import { useTranslation } from "../translation";
import { advance, stages, standing } from "./progress";

const icons = { done: CheckCircleIcon, now: InProgressIcon, next: CircleIcon };

/** ApplyProgress follows a change that is on its way to its daemon; mount it when it begins. */
export function ApplyProgress({ component }: { component: string }) {
	const { t } = useTranslation("ui");
	const stage = useComponent(component)?.stage;
	const [reached, setReached] = useState(-1);
	const now = advance(reached, stage);
	if (now !== reached) setReached(now);
	return (
		<ol className="gw-progress" aria-label={t("change.progress")}>
			{stages.map((name, place) => {
				const look = standing(place, now);
				const Icon = icons[look];
				return (
					<li key={name} data-look={look} data-stage={name} aria-current={look === "now" ? "step" : undefined}>
						<Icon aria-hidden="true" />
						{t(`stage.${name}`)}
					</li>
				);
			})}
		</ol>
	);
}
