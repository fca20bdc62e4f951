import { type Certificate, useStates } from "@api";
import { formatAgo, formatExact } from "@ui";
import { useTranslation } from "@ui/translation";
import { expiryOf } from "./expiry";

/** ExpiryBar is how much of its time a certificate has left, as a bar and in words. */
export function ExpiryBar({ certificate }: { certificate: Certificate }) {
	const { t } = useTranslation("cert");
	// It may have been replaced or deleted meanwhile.
	const known = useStates("certificate")(certificate.id)?.state !== "unknown";
	const expiry = expiryOf(certificate, Date.now());
	if (!expiry || !certificate.expires_at) return "–";
	const end = new Date(certificate.expires_at);
	return (
		<span className="gw-expiry" data-look={known ? expiry.look : "neutral"} title={formatExact(end)}>
			<span className="gw-expiry-bar" aria-hidden="true">
				<span style={{ width: `${expiry.left * 100}%` }} />
			</span>
			<span>{expiry.days > 0 ? t("certificate.left", { count: expiry.days }) : formatAgo(end)}</span>
		</span>
	);
}
