import type { Certificate, CertLink } from "@api";
import { Button } from "@patternfly/react-core";
import { DownloadIcon } from "@patternfly/react-icons";
import { CopyButton, Loaded, PropertyList, Time } from "@ui";
import { saveAs } from "@ui/saveAs";
import { useTranslation } from "@ui/translation";
import { useChain } from "./requests";

/** ChainPanel is what clients are sent: the certificate and those that signed it, to look at and to download. */
export function ChainPanel({ certificate }: { certificate: Certificate }) {
	const { t } = useTranslation("cert");
	const query = useChain(certificate);
	return (
		<section className="gw-panel">
			<div className="gw-cert-head">
				<h2>{t("chain.title")}</h2>
				{query.data && (
					<Button
						variant="secondary"
						icon={<DownloadIcon />}
						onClick={() => saveAs(fileOf(certificate), query.data.pem, "application/x-pem-file")}
					>
						{t("chain.download")}
					</Button>
				)}
			</div>
			<Loaded query={query} height="8rem">
				{({ certificates }) => (
					<ol className="gw-cert-chain">
						{certificates.map((one, i) => (
							<li key={one.sha256}>
								<details open={i === 0}>
									<summary>{t(i === 0 ? "chain.own" : "chain.signer", { name: one.subject })}</summary>
									<Facts of={one} />
								</details>
							</li>
						))}
					</ol>
				)}
			</Loaded>
		</section>
	);
}

/** fileOf is a name for the file; a wildcard's star is no good in one. */
const fileOf = ({ names }: Certificate) => `${(names[0] ?? "certificate").replace("*", "wildcard")}.pem`;

function Facts({ of }: { of: CertLink }) {
	const { t } = useTranslation("cert");
	return (
		<PropertyList
			items={[
				[t("chain.subject"), of.subject || undefined],
				[t("certificate.issuer"), of.issuer],
				[t("certificate.from"), <Time key="from" value={of.not_before} />],
				[t("certificate.expires"), <Time key="to" value={of.not_after} />],
				[t("chain.key"), of.key],
				[t("chain.signature"), of.signature],
				[t("certificate.serial"), <code key="serial">{of.serial}</code>],
				[
					t("chain.fingerprint"),
					<span key="sha256" className="gw-cert-print">
						<code>{of.sha256.match(/../g)?.join(":")}</code> <CopyButton text={of.sha256} />
					</span>,
				],
			]}
		/>
	);
}
