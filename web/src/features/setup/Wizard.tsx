import { ApiError } from "@api";
import { Form } from "@patternfly/react-core";
import { LeaveGuard, useErrorText } from "@ui";
import { Stepper, useStepFocus } from "@ui/Stepper";
import { useTranslation } from "@ui/translation";
import { type FormEvent, useRef, useState } from "react";
import { useForm } from "react-hook-form";
import { setupResolver, startValues, type Values } from "./form";
import { useCompleteSetup, useFirstSignIn } from "./requests";
import { StepBody } from "./StepBody";
import { StepButtons } from "./StepButtons";
import { type FieldName, fieldsOf, firstStepWith, routeError, type Step, steps } from "./steps";

/** Trouble is why the setup was refused, where no input is to blame. */
export interface Trouble {
	messages: string[];
	/** Moment before which another try is refused. */
	until?: number;
}

/** Outcome is who can use the node now: somebody who is signed in, somebody who has to sign in, or nobody. */
export type Outcome = "signedIn" | "signIn" | "accountless";

interface Props {
	hostname: string;
	onFinishing: (busy: boolean) => void;
	onDone: (outcome: Outcome) => void;
}

/** Wizard holds all answers while the steps come and go. */
export function Wizard({ hostname, onFinishing, onDone }: Props) {
	const { t } = useTranslation("setup");
	const { t: ui } = useTranslation("ui");
	const text = useErrorText();
	const form = useForm<Values>({
		defaultValues: startValues([window.location.hostname, hostname]),
		resolver: setupResolver(ui, t),
		mode: "onTouched",
	});
	const { mutateAsync: complete } = useCompleteSetup();
	const { mutateAsync: signIn } = useFirstSignIn();
	const [step, setStep] = useState<Step>("code");
	const [reached, setReached] = useState(0);
	const [trouble, setTrouble] = useState<Trouble>({ messages: [] });
	const { isDirty, isSubmitting } = form.formState;
	const sent = useRef(false);
	const body = useStepFocus(step);

	const open = (to: Step) => {
		setStep(to);
		setTrouble(({ until }) => ({ messages: [], until }));
		setReached((before) => Math.max(before, steps.indexOf(to)));
	};
	/** go leaves a step forward only when it is filled in. */
	const go = async (to: Step) => {
		const forward = steps.indexOf(to) > steps.indexOf(step);
		if (!forward || (await form.trigger(fieldsOf[step], { shouldFocus: true }))) open(to);
	};
	const fail = (error: unknown) => {
		const routed = error instanceof ApiError ? routeError(error, t("invalid.wrongCode")) : undefined;
		const placed = routed && routed.atField.length + routed.above.length > 0;
		const wait = error instanceof ApiError ? error.retryAfter : undefined;
		if (routed?.step) open(routed.step);
		setTrouble({
			messages: placed ? routed.above : [wait ? t("tooMany") : text(error)],
			until: wait && Date.now() + wait * 1000,
		});
		for (const { name, message } of routed?.atField ?? []) form.setError(name, { type: "server", message });
	};
	const finish = form.handleSubmit(
		async (values) => {
			setTrouble({ messages: [] });
			sent.current = true;
			onFinishing(true);
			try {
				await complete(values);
			} catch (error) {
				sent.current = false;
				onFinishing(false);
				return fail(error);
			}
			if (values.accountless) return onDone("accountless");
			const signedIn = await signIn({ email: values.email.trim(), password: values.password }).catch(() => false);
			onDone(signedIn ? "signedIn" : "signIn");
		},
		(errors) => open(firstStepWith(Object.keys(flat(errors))) ?? step),
	);
	const submit = (event: FormEvent) => {
		if (step === "review") return void finish(event as never);
		event.preventDefault();
		if (step === "certificates") form.setValue("later", false);
		if (step === "admin") form.setValue("accountless", false);
		void go(steps[steps.indexOf(step) + 1] ?? step);
	};
	const skip = () => {
		form.setValue("later", true, { shouldDirty: true });
		form.clearErrors("acme");
		open("admin");
	};
	const goAccountless = () => {
		form.setValue("accountless", true, { shouldDirty: true });
		form.clearErrors(["email", "password", "repeat"]);
		open("review");
	};
	return (
		<div className="gw-steps">
			<Stepper
				label={t("steps")}
				steps={steps.map((id) => ({ id, title: t(`${id}.step`) }))}
				step={step}
				reached={reached}
				onGo={(to) => void go(to)}
			/>
			<Form onSubmit={submit} noValidate className="gw-steps-step">
				<section aria-labelledby="setup-step" ref={body}>
					<StepBody step={step} form={form} trouble={trouble} onEdit={open} onAccountless={goAccountless} />
				</section>
				<StepButtons
					key={step}
					step={step}
					busy={isSubmitting}
					accountless={form.getValues("accountless")}
					until={trouble.until}
					onBack={() => open(steps[steps.indexOf(step) - 1] ?? step)}
					onSkip={skip}
				/>
			</Form>
			<LeaveGuard when={() => isDirty && !sent.current} />
		</div>
	);
}

/** flat names nested errors as the fields are named: { acme: { email } } → "acme.email". */
function flat(errors: object): Partial<Record<FieldName, true>> {
	const { acme = {}, ...rest } = errors as Record<string, object>;
	const names = [...Object.keys(rest), ...Object.keys(acme).map((name) => `acme.${name}`)];
	return Object.fromEntries(names.map((name) => [name, true]));
}
