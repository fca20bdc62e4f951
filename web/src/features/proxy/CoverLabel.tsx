import { CertificateState, Link, StatusLabel } from "@ui";
import { useTranslation } from "react-i18next";
import { coverOf } from "./cover";
import { useCertificates } from "./requests";

/** CoverLabel is the certificate that a name is served with. */
export function CoverLabel({ name }: { name: string }) {
	const { t } = useTranslation("proxy");
	const certificates = useCertificates();
	if (!certificates) return "…";
	const found = coverOf(certificates, name);
	if (!found) return <StatusLabel status="warning">{t("site.uncovered")}</StatusLabel>;
	return (
		<Link className="gw-proxy-cover" to={`/certificates/${found.id}`}>
			<CertificateState status={found.status} />
		</Link>
	);
}
