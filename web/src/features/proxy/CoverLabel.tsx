import type { Certificate } from "@api";
import { CertificateState, RowLink, StatusLabel } from "@ui";
import { useTranslation } from "react-i18next";

interface Props {
	/** Undefined while not known. */
	cover: ((name: string) => Certificate | undefined) | undefined;
	name: string;
}

/** CoverLabel is the certificate that a name is served with. */
export function CoverLabel({ cover, name }: Props) {
	const { t } = useTranslation("proxy");
	if (!cover) return "…";
	const found = cover(name);
	if (!found) return <StatusLabel status="warning">{t("site.uncovered")}</StatusLabel>;
	return (
		<RowLink className="gw-proxy-cover" to={`/certificates/${found.id}`}>
			<CertificateState id={found.id} status={found.status} />
		</RowLink>
	);
}
