import { Button } from "@patternfly/react-core";
import { BusyButton } from "@ui";
import { useTranslation } from "@ui/translation";
import { useEffect, useState } from "react";
import type { Step } from "./steps";

interface Props {
	step: Step;
	busy: boolean;
	/** No administrator is created, which the last button says. */
	accountless: boolean;
	/** Moment before which another try is refused. */
	until?: number;
	onBack: () => void;
	onSkip: () => void;
}

/** StepButtons go on, back, or past a step that can wait. */
export function StepButtons({ step, busy, accountless, until, onBack, onSkip }: Props) {
	const { t } = useTranslation("setup");
	const left = useSecondsLeft(until);
	const last = step === "review";
	const finish = t(accountless ? "accountless.finish" : "finish");
	return (
		<div className="gw-steps-buttons">
			<BusyButton type="submit" isDisabled={last && left > 0} busy={busy}>
				{last ? (left > 0 ? t("waitFor", { count: left }) : finish) : t("next")}
			</BusyButton>
			{step !== "code" && (
				<Button variant="secondary" isDisabled={busy} onClick={onBack}>
					{t("back")}
				</Button>
			)}
			{step === "certificates" && (
				<Button variant="link" onClick={onSkip}>
					{t("later")}
				</Button>
			)}
		</div>
	);
}

/** useSecondsLeft counts down to a moment. */
function useSecondsLeft(until = 0): number {
	const [left, setLeft] = useState(0);
	useEffect(() => {
		const tick = () => setLeft(Math.max(0, Math.ceil((until - Date.now()) / 1000)));
		tick();
		if (until <= Date.now()) return;
		const timer = setInterval(tick, 500);
		return () => clearInterval(timer);
	}, [until]);
	return left;
}
