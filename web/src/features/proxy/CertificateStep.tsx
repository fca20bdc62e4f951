import type { Certificate } from "@api";
import { Checkbox } from "@patternfly/react-core";
import { FieldHint } from "@ui";
import { type UseFormReturn, useController } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { Choices } from "./Choices";
import { coverOf } from "./cover";
import { hostOf, isWildcard, type Values } from "./publish";
import { useTermsAgreed } from "./requests";

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
	const terms = useTermsAgreed();
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
					off: wildcard || taken,
					hint: wildcard ? t("publish.invalid.wildcard") : undefined,
					content: terms === false && <Terms form={form} />,
				},
				{ value: "self_signed", off: taken },
				...(cover ? [] : [{ value: "later" as const }]),
			]}
		/>
	);
}

/** Terms lets an authority's terms be agreed to where they are needed, once for the gateway. */
function Terms({ form }: { form: UseFormReturn<Values> }) {
	const { t } = useTranslation("proxy");
	const { field, fieldState } = useController({ name: "terms", control: form.control });
	const wrong = fieldState.error?.message;
	return (
		<>
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
		</>
	);
}
