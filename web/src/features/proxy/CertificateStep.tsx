import type { Certificate } from "@api";
import type { UseFormReturn } from "react-hook-form";
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
					hint: wildcard ? t("publish.invalid.wildcard") : terms === false ? t("publish.certificate.terms") : undefined,
				},
				{ value: "self_signed", off: taken },
				...(cover ? [] : [{ value: "later" as const }]),
			]}
		/>
	);
}
