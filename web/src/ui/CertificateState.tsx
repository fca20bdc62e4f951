import type { Certificate } from "@api";
import { useTranslation } from "react-i18next";
import { type Status, StatusLabel } from "./StatusLabel";

/** certificateLooks are the colours of how a certificate stands. */
export const certificateLooks: Record<Certificate["status"], Status> = {
	pending: "info",
	valid: "success",
	expiring: "warning",
	expired: "danger",
	error: "danger",
};

/** CertificateState is how a certificate stands, in a word. */
export function CertificateState({ status }: Pick<Certificate, "status">) {
	const { t } = useTranslation("ui");
	return <StatusLabel status={certificateLooks[status]}>{t(`certificate.${status}`)}</StatusLabel>;
}
