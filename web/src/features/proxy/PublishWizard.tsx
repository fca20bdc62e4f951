import { ApiError, batch, tryOut } from "@api";
import { Button, Form, Title } from "@patternfly/react-core";
import { askOf, BusyButton, LeaveGuard, later, Notice, unsaid, useErrorText, Waiting } from "@ui";
import { Stepper, useStepFocus } from "@ui/Stepper";
import { useTranslation } from "@ui/translation";
import { type FormEvent, Suspense, useState } from "react";
import { useForm } from "react-hook-form";
import { CertificateStep } from "./CertificateStep";
import { coverOf } from "./cover";
import { NameStep } from "./NameStep";
import type { Result } from "./PublishPage";
import {
	fieldsOf,
	hostOf,
	isWildcard,
	newIds,
	operationsOf,
	routeError,
	type Step,
	startValues,
	steps,
	type Values,
} from "./publish";
import { publishResolver } from "./publishForm";
import { useAgree, useAsksTerms, useCertificates, usePublish } from "./requests";
import { holderOf, wantedAt } from "./taken";
import { WhereStep } from "./WhereStep";

const loadReview = () => import("./ReviewStep");
const ReviewStep = later("publish review", loadReview);

/** PublishWizard holds all answers while the steps come and go, and makes one change of them. */
export function PublishWizard({ onDone }: { onDone: (result: Result) => void }) {
	const { t } = useTranslation("proxy");
	const text = useErrorText();
	const asksTerms = useAsksTerms();
	const resolver = publishResolver(t, asksTerms);
	const form = useForm<Values>({ defaultValues: startValues, resolver, mode: "onTouched" });
	const { isSubmitting: isPending } = form.formState;
	const [ids] = useState(newIds);
	const [step, setStep] = useState<Step>("name");
	const [reached, setReached] = useState(0);
	const [above, setAbove] = useState<string[]>([]);
	const [said, say] = useState(unsaid);
	const [asking, setAsking] = useState(false);
	const { mutateAsync: publish } = usePublish();
	const { mutateAsync: agree } = useAgree();
	const certificates = useCertificates();
	const body = useStepFocus(step);
	const operations = () => operationsOf(form.getValues(), ids);

	const open = (to: Step) => {
		setStep(to);
		setAbove([]);
		setReached((before) => Math.max(before, steps.indexOf(to)));
	};
	/** suggest begins with the certificate that fits the name, once it is known. */
	const suggest = () => {
		const name = hostOf(form.getValues("name"));
		const covered = Boolean(coverOf(certificates ?? [], name));
		const chosen = form.getValues("certificate");
		if (covered) form.setValue("certificate", "covered");
		else if (chosen === "covered" || (chosen === "acme" && isWildcard(name)))
			form.setValue("certificate", isWildcard(name) ? "later" : "acme");
	};
	/** free tells whether nobody has the name that the step asks for. */
	const free = async () => {
		const wanted = wantedAt(step, form.getValues());
		if (!wanted) return true;
		setAsking(true);
		const holder = await holderOf(wanted);
		setAsking(false);
		if (!holder) return true;
		const message = t(`publish.invalid.${wanted.noun}Taken`);
		form.setError(wanted.noun === "domain" ? "name" : "pool_name", { type: "taken", message }, { shouldFocus: true });
		return false;
	};
	const go = async (to: Step) => {
		const forward = steps.indexOf(to) > steps.indexOf(step);
		if (forward && !(await form.trigger(fieldsOf[step], { shouldFocus: true }))) return;
		if (forward && !(await free())) return;
		if (step === "name") suggest();
		// It is there when it is needed, also while the server is replaced by a newer one.
		void loadReview().catch(() => undefined);
		open(to);
	};
	const fail = (error: unknown) => {
		if (!(error instanceof ApiError) || error.away) return setAbove([text(error)]);
		const routed = routeError(error, operations());
		if (routed.step) open(routed.step);
		setAbove(routed.above);
		for (const { name, message } of routed.atField) form.setError(name, { type: "server", message });
	};
	const plan = () =>
		tryOut((headers) => batch({ body: { operations: operations() }, headers })).catch((error: unknown) => {
			fail(error);
			return undefined;
		});
	const finish = form.handleSubmit(async (values) => {
		setAbove([]);
		try {
			if (asksTerms && values.certificate === "acme") await agree(values.directory.trim());
			const made = operationsOf(values, ids);
			onDone({ values, ids, done: await publish({ operations: made, ask: askOf(said, false) }) });
		} catch (error) {
			fail(error);
		}
	});
	const submit = (event: FormEvent) => {
		if (step === "summary") return void finish(event as never);
		event.preventDefault();
		void go(steps[steps.indexOf(step) + 1] ?? step);
	};
	const shown = { form, certificates };
	return (
		<div className="gw-steps">
			<Stepper
				label={t("publish.steps")}
				steps={steps.map((id) => ({ id, title: t(`publish.${id}.step`) }))}
				step={step}
				reached={reached}
				onGo={(to) => void go(to)}
			/>
			<Form onSubmit={submit} noValidate className="gw-steps-step">
				<section aria-labelledby="publish-step" ref={body}>
					<Title headingLevel="h2" size="lg" id="publish-step" tabIndex={-1}>
						{t(`publish.${step}.title`)}
					</Title>
					<p className="gw-steps-lead">{t(`publish.${step}.lead`)}</p>
					<div className="gw-steps-fields">
						{above.map((message) => (
							<Notice key={message} kind="danger" title={message} />
						))}
						{step === "name" && <NameStep form={form} />}
						{step === "where" && <WhereStep form={form} />}
						{step === "certificate" && <CertificateStep {...shown} />}
						{step === "summary" && (
							<Suspense fallback={<Waiting height="12rem" />}>
								<ReviewStep {...shown} onEdit={open} change={{ said, onSay: say, plan, busy: isPending }} />
							</Suspense>
						)}
					</div>
				</section>
				<div className="gw-steps-buttons">
					<BusyButton type="submit" busy={isPending || asking}>
						{t(step === "summary" ? "publish.submit" : "publish.next")}
					</BusyButton>
					{step !== "name" && (
						<Button
							variant="secondary"
							isDisabled={isPending}
							onClick={() => open(steps[steps.indexOf(step) - 1] ?? step)}
						>
							{t("publish.back")}
						</Button>
					)}
				</div>
			</Form>
			<LeaveGuard when={() => form.formState.isDirty && !isPending && !form.formState.isSubmitSuccessful} />
		</div>
	);
}
