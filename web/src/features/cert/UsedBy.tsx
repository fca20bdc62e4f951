import type { Certificate } from "@api";
import { Link, Loaded } from "@ui";
import { useTranslation } from "@ui/translation";
import { useDomainsOf } from "./requests";

const most = 20;

/** UsedBy is whose visitors get this certificate. */
export function UsedBy({ certificate }: { certificate: Certificate }) {
	const { t } = useTranslation("cert");
	const query = useDomainsOf(certificate.id);
	return (
		<section className="gw-panel">
			<h2>{t("usedBy.title")}</h2>
			<Loaded query={query} height="3rem">
				{(domains) =>
					domains.length === 0 ? (
						<p className="gw-subtle">{t("usedBy.none")}</p>
					) : (
						<ul className="gw-cert-domains">
							{domains.slice(0, most).map(({ id, name }) => (
								<li key={id}>
									<Link to={`/proxy/sites/${id}`}>{name}</Link>
								</li>
							))}
							{domains.length > most && (
								<li className="gw-subtle">{t("usedBy.more", { count: domains.length - most })}</li>
							)}
						</ul>
					)
				}
			</Loaded>
		</section>
	);
}
