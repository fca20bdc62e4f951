import "./cert.css";
import { type Certificate, useCan } from "@api";
import { Button } from "@patternfly/react-core";
import { useParams } from "@tanstack/react-router";
import { CertificateState, Loaded, later, Page, PropertyList, Time } from "@ui";
import { useTranslation } from "@ui/translation";
import { type ReactNode, Suspense, useState } from "react";
import { ChainPanel } from "./ChainPanel";
import { Doctor } from "./Doctor";
import { ExpiryBar } from "./ExpiryBar";
import { useCertificate } from "./requests";
import { Trouble } from "./Trouble";
import { UsedBy } from "./UsedBy";

const RenewDialog = later("renew a certificate", () => import("./RenewDialog"));

/** CertificatePage is one certificate: how long it lasts, what went wrong, and what the doctor found. */
export default function CertificatePage() {
	const { t } = useTranslation("cert");
	const { id } = useParams({ strict: false }) as { id: string };
	const admin = useCan("admin");
	const query = useCertificate(id);
	const [renewing, setRenewing] = useState(false);
	const renew = admin && query.data && query.data.source !== "upload" && (
		<Button variant="secondary" onClick={() => setRenewing(true)}>
			{t("renew.title")}
		</Button>
	);
	return (
		<Page
			title={query.data?.names[0] ?? t("detail")}
			breadcrumbs={[{ title: t("title"), to: "/certificates" }]}
			actions={renew}
		>
			<Loaded query={query} height="24rem">
				{(certificate) => (
					<div className="gw-cert">
						<Trouble certificate={certificate} />
						<Facts certificate={certificate} />
						<UsedBy certificate={certificate} />
						{certificate.expires_at && <ChainPanel certificate={certificate} />}
						{certificate.source === "acme" && <Doctor certificate={certificate} />}
					</div>
				)}
			</Loaded>
			<Suspense fallback={null}>
				{renewing && query.data && <RenewDialog certificate={query.data} onClose={() => setRenewing(false)} />}
			</Suspense>
		</Page>
	);
}

const when = (at: string | null): ReactNode => (at ? <Time value={at} /> : undefined);

function Facts({ certificate }: { certificate: Certificate }) {
	const { t } = useTranslation("cert");
	const { source, challenge } = certificate;
	const serial = certificate.serial ? <code className="gw-mono">{certificate.serial}</code> : undefined;
	return (
		<div className="gw-panel">
			<PropertyList
				items={[
					[t("certificate.state"), <CertificateState key="state" id={certificate.id} status={certificate.status} />],
					[t("certificate.expires"), <ExpiryBar key="expires" certificate={certificate} />],
					[t("certificate.field.names"), certificate.names.join(", ")],
					[t("certificate.field.source"), t(`certificate.option.source.${source}`)],
					[t("certificate.proof"), source === "acme" ? t(`certificate.option.challenge.${challenge}`) : undefined],
					[t("certificate.from"), when(certificate.not_before)],
					[t("certificate.issuer"), certificate.issuer || undefined],
					[t("certificate.serial"), serial],
					[t("certificate.renewed"), when(certificate.last_renewed_at)],
					[t("certificate.nextAttempt"), when(certificate.next_attempt_at)],
				]}
			/>
		</div>
	);
}
