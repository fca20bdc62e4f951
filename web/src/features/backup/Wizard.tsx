import { ApiError, type RestorePreview } from "@api";
import { Button, Form, Title } from "@patternfly/react-core";
import { useNavigate } from "@tanstack/react-router";
import { BusyButton, Notice, useErrorText } from "@ui";
import { Stepper, useStepFocus } from "@ui/Stepper";
import { useTranslation } from "@ui/translation";
import { type FormEvent, useState } from "react";
import { AgreeStep } from "./AgreeStep";
import { LinksStep } from "./LinksStep";
import { missingOf, sentOf, startOf, twiceIn } from "./links";
import { PreviewStep } from "./PreviewStep";
import { useStart } from "./requests";

type Step = "preview" | "links" | "agree";

/** Wizard shows first what would change, and begins with the restore at its last step only. */
export function Wizard({ id, preview }: { id: string; preview: RestorePreview }) {
	const { t } = useTranslation("backup");
	const text = useErrorText();
	const navigate = useNavigate();
	const steps: Step[] = missingOf(preview.links).length > 0 ? ["preview", "links", "agree"] : ["preview", "agree"];
	const [step, setStep] = useState<Step>("preview");
	const [reached, setReached] = useState(0);
	const [mapping, map] = useState(() => startOf(preview.links));
	const [seconds, setSeconds] = useState(600);
	const [password, setPassword] = useState("");
	const { mutate, isPending, error } = useStart(id, t("ui:password.wrong"));
	const wrong = error instanceof ApiError ? error.fields[0]?.message : undefined;
	const body = useStepFocus(step);
	const at = steps.indexOf(step);
	const open = (to: Step) => {
		setStep(to);
		setReached(Math.max(reached, steps.indexOf(to)));
	};
	const start = () =>
		mutate(
			{ links: sentOf(mapping), confirm_within: seconds, password },
			{ onSuccess: () => void navigate({ to: "/backups/restore" }) },
		);
	const last = step === "agree";
	const submit = (event: FormEvent) => {
		event.preventDefault();
		if (last) start();
		else open(steps[at + 1] ?? step);
	};
	return (
		<div className="gw-steps">
			<Stepper
				label={t("wizard.steps")}
				steps={steps.map((one) => ({ id: one, title: t(`wizard.${one}.step`) }))}
				step={step}
				reached={reached}
				onGo={open}
			/>
			<Form onSubmit={submit} noValidate className="gw-steps-step">
				<section aria-labelledby="restore-step" ref={body}>
					<Title headingLevel="h2" size="lg" id="restore-step" tabIndex={-1}>
						{t(`wizard.${step}.title`)}
					</Title>
					<p className="gw-steps-lead">{t(`wizard.${step}.lead`)}</p>
					<div className="gw-steps-fields">
						{error && last && !wrong && <Notice kind="danger" title={text(error)} />}
						{step === "preview" && <PreviewStep preview={preview} />}
						{step === "links" && <LinksStep links={preview.links} mapping={mapping} onMap={map} />}
						{last && (
							<AgreeStep
								seconds={seconds}
								onSeconds={setSeconds}
								password={password}
								onPassword={setPassword}
								wrong={wrong}
							/>
						)}
					</div>
				</section>
				<div className="gw-steps-buttons">
					<BusyButton
						type="submit"
						variant={last ? "danger" : "primary"}
						busy={isPending}
						isDisabled={(step !== "preview" && twiceIn(mapping).length > 0) || (last && !password)}
					>
						{t(last ? "wizard.submit" : "wizard.next")}
					</BusyButton>
					{at > 0 && (
						<Button variant="secondary" isDisabled={isPending} onClick={() => open(steps[at - 1] ?? step)}>
							{t("wizard.back")}
						</Button>
					)}
				</div>
			</Form>
		</div>
	);
}
