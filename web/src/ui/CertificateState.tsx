import { type Certificate, useStates } from "@api";
import { stateReason } from "./problemText";
import { type Status, StatusLabel } from "./StatusLabel";
import { useTranslation } from "./translation";

/** certificateLooks are the colours of how a certificate stands. */
export const certificateLooks: Record<Certificate["status"], Status> = {
	pending: "info",
	valid: "success",
	expiring: "warning",
	expired: "danger",
	error: "danger",
};

const looks: Record<string, Status> = { ...certificateLooks, not_applied: "danger", unknown: "neutral" };

/** CertificateState is how a certificate stands now, in a word: what a list was told some minutes ago may be over. */
export function CertificateState({ id, status }: Pick<Certificate, "id" | "status">) {
	const { t } = useTranslation("ui");
	const state = useStates("certificate")(id);
	// One that was ordered a moment ago is among those that work, until the next look.
	const known = state?.state ?? (status === "pending" ? "pending" : "valid");
	const word = known in looks ? known : "unknown";
	return (
		<span title={(state && stateReason(state)) || undefined}>
			<StatusLabel status={looks[word] ?? "neutral"}>{t(`certificate.${word}`)}</StatusLabel>
		</span>
	);
}
