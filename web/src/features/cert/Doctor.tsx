import { type CertFinding, type Certificate, useCan } from "@api";
import { CheckCircleIcon, ExclamationTriangleIcon } from "@patternfly/react-icons";
import { BusyButton, Time, toast, useErrorText } from "@ui";
import { useTranslation } from "@ui/translation";
import { useState } from "react";
import { remedyOf, said } from "./remedy";
import { useCheck } from "./requests";

/** Doctor is what ordering depends on, as it was found at the last look; administrators can have it looked at again. */
export function Doctor({ certificate }: { certificate: Certificate }) {
	const { t } = useTranslation("cert");
	const { checks, checked_at: at } = certificate;
	return (
		<section className="gw-panel gw-doctor" aria-labelledby="doctor">
			<div className="gw-doctor-head">
				<div>
					<h2 id="doctor">{t("doctor.title")}</h2>
					<p>
						{at ? t("doctor.at") : t("doctor.never")} {at && <Time value={at} />}
					</p>
				</div>
				{useCan("admin") && <Look certificate={certificate} />}
			</div>
			{checks.length > 0 && (
				<ul>
					{checks.map((finding) => (
						<Found key={`${finding.check} ${finding.name} ${finding.message}`} finding={finding} />
					))}
				</ul>
			)}
		</section>
	);
}

/** Look asks for another look, and waits until what it found is there. */
function Look({ certificate }: { certificate: Certificate }) {
	const { t } = useTranslation("cert");
	const text = useErrorText();
	const { mutate, isPending } = useCheck();
	const [asked, setAsked] = useState<string | null>();
	const waiting = asked !== undefined && asked === certificate.checked_at;
	const look = () =>
		mutate(certificate, {
			onSuccess: () => setAsked(certificate.checked_at),
			onError: (error) => toast.danger(t("doctor.failed"), { detail: text(error) }),
		});
	return (
		<BusyButton variant="secondary" busy={isPending || waiting} onClick={look}>
			{t("doctor.look")}
		</BusyButton>
	);
}

function Found({ finding }: { finding: CertFinding }) {
	const { t } = useTranslation("cert");
	const Icon = finding.ok ? CheckCircleIcon : ExclamationTriangleIcon;
	return (
		<li data-ok={finding.ok}>
			<Icon aria-hidden="true" />
			<div>
				<strong>
					<span className="pf-v6-screen-reader">{t(finding.ok ? "doctor.ok" : "doctor.wrong")} </span>
					{t(`doctor.check.${finding.check}`, { defaultValue: finding.check })}
				</strong>
				{finding.name && <span className="gw-cert-more"> {finding.name}</span>}
				<p>{said(finding.message)}</p>
				{!finding.ok && <p className="gw-doctor-remedy">{remedyOf(t, finding)}</p>}
			</div>
		</li>
	);
}
