import type { Certificate } from "@api";
import { Button, Checkbox, ExpandableSection } from "@patternfly/react-core";
import { FieldHint, Notice, useErrorText } from "@ui";
import { FormField } from "@ui/FormField";
import { useTranslation } from "@ui/translation";
import { useState } from "react";
import { type Control, type UseFormReturn, useController } from "react-hook-form";
import { Choices } from "./Choices";
import { coverOf } from "./cover";
import { authorityOf, hostOf, isWildcard, type Values } from "./publish";
import { inputs } from "./publishForm";
import { useAsksTerms, useAuthority } from "./requests";

interface Props {
	form: UseFormReturn<Values>;
	certificates: Certificate[] | undefined;
}

/** CertificateStep asks what browsers are shown; a certificate that is for the name already needs no other. */
export function CertificateStep({ form, certificates = [] }: Props) {
	const { t } = useTranslation("proxy");
	const name = hostOf(form.watch("name"));
	const cover = coverOf(certificates, name);
	const wildcard = isWildcard(name);
	const asksTerms = useAsksTerms();
	const { data: stored } = useAuthority();
	const authority = authorityOf((asksTerms && form.watch("directory")) || stored?.directory_url);
	// The server refuses a second certificate for the very same name.
	const taken = Boolean(cover?.names.includes(name));
	const covered = { value: "covered" as const, hint: t("publish.certificate.coveredHint", { name: cover?.names[0] }) };
	return (
		<Choices
			form={form}
			name="certificate"
			choices={[
				...(cover ? [covered] : []),
				{
					value: "acme",
					label: t("publish.certificate.acme", { authority }),
					off: wildcard || taken,
					hint: wildcard ? t("publish.invalid.wildcard") : undefined,
					content: asksTerms && <Authority form={form} />,
				},
				{ value: "self_signed", off: taken },
				...(cover ? [] : [{ value: "later" as const }]),
			]}
		/>
	);
}

/** Authority has its terms agreed to where they are needed, once for the gateway, and lets another one be named. */
function Authority({ form }: { form: UseFormReturn<Values> }) {
	const { t } = useTranslation("proxy");
	const { field, fieldState } = useController({ name: "terms", control: form.control });
	const [open, setOpen] = useState(Boolean(form.getValues("directory")));
	const wrong = fieldState.error?.message;
	return (
		<>
			<Unknown />
			<Checkbox
				id="publish-terms"
				ref={field.ref}
				label={t("publish.certificate.agree")}
				description={t("publish.certificate.terms")}
				isChecked={field.value}
				isValid={!wrong}
				aria-invalid={Boolean(wrong)}
				aria-describedby={wrong ? "publish-terms-help" : undefined}
				onChange={(_, on) => form.setValue("terms", on, { shouldDirty: true, shouldValidate: true })}
			/>
			{wrong && (
				<FieldHint id="publish-terms-help" wrong>
					{wrong}
				</FieldHint>
			)}
			<ExpandableSection
				toggleText={t("publish.certificate.other")}
				isExpanded={open || Boolean(form.formState.errors.directory)}
				onToggle={(_, expanded) => setOpen(expanded)}
			>
				<FormField ns="proxy/publish" input={inputs.directory} control={form.control as unknown as Control} />
			</ExpandableSection>
		</>
	);
}

/** Unknown says that the settings of the authority could not be loaded, and loads them once more. */
function Unknown() {
	const { t } = useTranslation("proxy");
	const text = useErrorText();
	const { data, failureReason, refetch } = useAuthority();
	if (data || !failureReason) return null;
	return (
		<Notice kind="warning" title={t("publish.certificate.unknown")}>
			<p>{text(failureReason)}</p>
			<Button variant="link" isInline onClick={() => void refetch()}>
				{t("publish.certificate.again")}
			</Button>
		</Notice>
	);
}
