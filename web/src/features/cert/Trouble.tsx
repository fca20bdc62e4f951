import type { Certificate } from "@api";
import { Notice, Time } from "@ui";
import { useTranslation } from "@ui/translation";
import { remedyOf, said } from "./remedy";

/** Trouble says what went wrong at the last attempt, what to do about it, and when the node tries again by itself. */
export function Trouble({ certificate }: { certificate: Certificate }) {
	const { t } = useTranslation("cert");
	const { last_error: code, last_error_message: message, remedy, next_attempt_at: next } = certificate;
	if (!code) return null;
	return (
		<Notice kind="danger" title={said(message ?? code)}>
			<p>{remedyOf(t, { code, remedy })}</p>
			{next && (
				<p className="gw-cert-next">
					{t("trouble.next")} <Time value={next} />
				</p>
			)}
		</Notice>
	);
}
