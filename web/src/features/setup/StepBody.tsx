import { Title } from "@patternfly/react-core";
import { FormField } from "@ui/FormField";
import type { Input } from "@ui/fields";
import { useTranslation } from "@ui/translation";
import type { Control, UseFormReturn } from "react-hook-form";
import { AdminStep } from "./AdminStep";
import { CertificatesStep } from "./CertificatesStep";
import { CodeStep } from "./CodeStep";
import { inputs, type Values } from "./form";
import { ReviewStep } from "./ReviewStep";
import type { Step } from "./steps";
import type { Trouble } from "./Wizard";

interface Props {
	step: Step;
	form: UseFormReturn<Values>;
	trouble: Trouble;
	onEdit: (step: Step) => void;
	onAccountless: () => void;
}

/** StepBody is the heading, the explanation and the inputs of a step. */
export function StepBody({ step, form, trouble, onEdit, onAccountless }: Props) {
	const { t } = useTranslation("setup");
	const field = (input: Input) => (
		<FormField key={input.name} ns="setup" input={input} control={form.control as unknown as Control} />
	);
	return (
		<>
			<Title headingLevel="h2" size="lg" id="setup-step" tabIndex={-1}>
				{t(`${step}.title`)}
			</Title>
			<p className="gw-steps-lead">{t(`${step}.lead`)}</p>
			<div className="gw-steps-fields">
				{step === "code" && <CodeStep control={form.control} />}
				{step === "name" && field(inputs.fqdn)}
				{step === "certificates" && <CertificatesStep form={form} field={field} />}
				{step === "admin" && (
					<AdminStep field={field} accountless={form.getValues("accountless")} onAccountless={onAccountless} />
				)}
				{step === "review" && <ReviewStep values={form.getValues()} trouble={trouble} onEdit={onEdit} />}
			</div>
		</>
	);
}
