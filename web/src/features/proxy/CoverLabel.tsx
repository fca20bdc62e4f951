import type { Certificate, ProxyDomain } from "@api";
import { CertificateState, RowLink, StatusLabel } from "@ui";
import { useTranslation } from "@ui/translation";
import { firstToEnd, namesOf } from "./cover";

interface Props {
	/** Undefined while not known. */
	cover: ((name: string) => Certificate | undefined) | undefined;
	site: ProxyDomain;
}

/** CoverLabel is the certificate that a site is served with; of several, the one that fails its visitors first. */
export function CoverLabel({ cover, site }: Props) {
	const { t } = useTranslation("proxy");
	if (!cover) return "…";
	const found = firstToEnd(namesOf(site), cover);
	if (!found) return <StatusLabel status="warning">{t("site.uncovered")}</StatusLabel>;
	return (
		<RowLink className="gw-proxy-cover" to={`/certificates/${found.id}`}>
			<CertificateState id={found.id} status={found.status} />
		</RowLink>
	);
}
