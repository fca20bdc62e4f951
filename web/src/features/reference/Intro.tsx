import { Title } from "@patternfly/react-core";
import { Link } from "@ui";
import { useTranslation } from "@ui/translation";
import { CurlBox } from "./CurlBox";
import type { Document } from "./openapi";

/** Intro says what is the same for all operations. */
export function Intro({ document }: { document: Document }) {
	const { t } = useTranslation("reference");
	return (
		<article className="gw-ref-operation">
			<Title headingLevel="h2" size="xl">
				{t("intro.title")}
			</Title>
			<dl className="gw-ref-intro">
				{(["token", "envelope", "lists", "changes"] as const).map((topic) => (
					<div key={topic}>
						<dt>{t(`intro.${topic}`)}</dt>
						<dd>{t(`intro.${topic}Text`)}</dd>
					</div>
				))}
			</dl>
			<p>
				<Link to="/account">{t("intro.makeToken")}</Link>
			</p>
			<CurlBox title={t("intro.example")} call={{ method: "GET", url: "/api/v1/auth/me", headers: {} }} withToken />
			{document.info?.version && (
				<p className="gw-ref-count">{t("intro.version", { version: document.info.version })}</p>
			)}
		</article>
	);
}
