import { CheckIcon } from "@patternfly/react-icons";
import { useTranslation } from "react-i18next";
import { type Step, steps } from "./steps";

interface Props {
	step: Step;
	/** Index of the furthest step that was seen; later ones cannot be opened yet. */
	reached: number;
	onGo: (to: Step) => void;
}

/** Stepper shows where one is: a column beside the step, or a row of dots above it on a narrow screen. */
export function Stepper({ step, reached, onGo }: Props) {
	const { t } = useTranslation("setup");
	const now = steps.indexOf(step);
	return (
		<nav aria-label={t("steps")}>
			<p className="gw-setup-count">{t("stepOf", { n: now + 1, of: steps.length })}</p>
			<ol className="gw-setup-steps">
				{steps.map((id, i) => (
					<li key={id} data-state={i === now ? "now" : i < now ? "done" : i <= reached ? "seen" : "next"}>
						<button
							type="button"
							disabled={i > reached}
							aria-current={i === now ? "step" : undefined}
							onClick={() => onGo(id)}
						>
							<span className="gw-setup-dot" aria-hidden="true">
								{i < now ? <CheckIcon /> : i + 1}
							</span>
							<span className="gw-setup-name">{t(`${id}.step`)}</span>
						</button>
					</li>
				))}
			</ol>
		</nav>
	);
}
