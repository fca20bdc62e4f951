import { type Certificate, listCertCertificatesOptions, useStates } from "@api";
import { useQuery } from "@tanstack/react-query";
import { CertificateState, Link, Loaded } from "@ui";
import { DashCard } from "@ui/DashCard";
import { useTranslation } from "@ui/translation";
import "./cert.css";
import { ExpiryBar } from "./ExpiryBar";
import { useSummary } from "./requests";

const many = 5;

/** ExpiryCard is the certificates that expire next. */
export function ExpiryCard() {
	const { t } = useTranslation("cert");
	const total = useSummary()?.total;
	const query = useQuery({
		...listCertCertificatesOptions({ query: { limit: many, sort: "not_after" } }),
		refetchInterval: 15_000,
	});
	return (
		<DashCard title={t("card.title")} to="/certificates" more={total ? t("card.all", { count: total }) : t("title")}>
			<Loaded query={query}>
				{(certificates) =>
					certificates.length === 0 ? (
						<p className="gw-subtle">{t("certificate.empty")}</p>
					) : (
						<ul className="gw-rows">
							{certificates.map((one) => (
								<Row key={one.id} certificate={one} />
							))}
						</ul>
					)
				}
			</Loaded>
		</DashCard>
	);
}

function Row({ certificate }: { certificate: Certificate }) {
	const unserved = useStates("certificate")(certificate.id)?.state === "not_applied";
	return (
		<li>
			<span className="gw-entry gw-clip" title={certificate.names.join(", ")}>
				<Link to={`/certificates/${certificate.id}`}>{certificate.names[0]}</Link>
			</span>
			{certificate.status === "valid" && !unserved ? (
				<ExpiryBar certificate={certificate} />
			) : (
				<CertificateState id={certificate.id} status={certificate.status} />
			)}
		</li>
	);
}
