import { Checkbox, ExpandableSection } from "@patternfly/react-core";
import { FieldHint } from "@ui";
import type { Input } from "@ui/fields";
import { useTranslation } from "@ui/translation";
import { type ReactNode, useState } from "react";
import { type UseFormReturn, useController } from "react-hook-form";
import { inputs, type Values } from "./form";

interface Props {
	form: UseFormReturn<Values>;
	field: (input: Input) => ReactNode;
}

const terms = "https://letsencrypt.org/repository/";

/** CertificatesStep asks what an authority wants to know; another one than the usual is for the few. */
export function CertificatesStep({ form, field }: Props) {
	const { t } = useTranslation("setup");
	const own = Boolean(form.watch("acme.directory_url"));
	const wrong = Boolean(form.formState.errors.acme?.directory_url);
	const [open, setOpen] = useState(own);
	return (
		<>
			{field(inputs.acmeEmail)}
			<Terms form={form} usual={!own} />
			<ExpandableSection
				toggleText={t("certificates.advanced")}
				isExpanded={open || wrong}
				onToggle={(_, expanded) => setOpen(expanded)}
			>
				{field(inputs.directory)}
			</ExpandableSection>
		</>
	);
}

function Terms({ form, usual }: { form: UseFormReturn<Values>; usual: boolean }) {
	const { t } = useTranslation("setup");
	const { field, fieldState } = useController({ name: "acme.terms_agreed", control: form.control });
	const wrong = fieldState.error?.message;
	return (
		<div>
			<Checkbox
				id="field-terms"
				ref={field.ref}
				label={t("field.acme.terms_agreed")}
				isChecked={field.value}
				isValid={!wrong}
				aria-invalid={Boolean(wrong)}
				aria-describedby={wrong ? "field-terms-help" : undefined}
				onChange={(_, on) => form.setValue(field.name, on, { shouldDirty: true, shouldValidate: true })}
				description={
					usual && (
						<a href={terms} target="_blank" rel="noopener noreferrer">
							{t("certificates.terms")}
						</a>
					)
				}
			/>
			{wrong && (
				<FieldHint id="field-terms-help" wrong>
					{wrong}
				</FieldHint>
			)}
		</div>
	);
}
