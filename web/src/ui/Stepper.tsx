import "./steps.css";
import { CheckIcon } from "@patternfly/react-icons";
import { type CSSProperties, useEffect, useRef } from "react";
import { useTranslation } from "./translation";

interface Props<S extends string> {
	/** Name of the whole, for screen readers. */
	label: string;
	steps: { id: S; title: string }[];
	step: S;
	/** Index of the furthest step that was seen; later ones cannot be opened yet. */
	reached: number;
	onGo: (to: S) => void;
}

/** Stepper shows where one is in a wizard: a column beside the step, or a row of dots above it on a narrow screen. */
export function Stepper<S extends string>({ label, steps, step, reached, onGo }: Props<S>) {
	const { t } = useTranslation("ui");
	const now = steps.findIndex((one) => one.id === step);
	return (
		<nav aria-label={label}>
			<p className="gw-steps-count">{t("stepOf", { n: now + 1, of: steps.length })}</p>
			<ol className="gw-steps-list" style={{ "--gw-steps": steps.length } as CSSProperties}>
				{steps.map(({ id, title }, i) => (
					<li key={id} data-state={i === now ? "now" : i < now ? "done" : i <= reached ? "seen" : "next"}>
						<button
							type="button"
							disabled={i > reached}
							aria-current={i === now ? "step" : undefined}
							onClick={() => onGo(id)}
						>
							<span className="gw-steps-dot" aria-hidden="true">
								{i < now ? <CheckIcon /> : i + 1}
							</span>
							<span className="gw-steps-name">{title}</span>
						</button>
					</li>
				))}
			</ol>
		</nav>
	);
}

/** useStepFocus puts the focus where a step goes on: at what is wrong, else at its first input, else at its heading. */
export function useStepFocus(step: string) {
	const body = useRef<HTMLElement>(null);
	// biome-ignore lint/correctness/useExhaustiveDependencies: it is another step that moves the focus.
	useEffect(() => {
		const find = (selector: string) => body.current?.querySelector<HTMLElement>(selector);
		(find('[aria-invalid="true"]') ?? find("input") ?? find("h2"))?.focus();
	}, [step]);
	return body;
}
