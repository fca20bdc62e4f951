import { useStates } from "@api";
import { Title } from "@patternfly/react-core";
import { CheckCircleIcon, ExternalLinkAltIcon } from "@patternfly/react-icons";
import { CertificateState, Link, Notice, ObjectState } from "@ui";
import { FailedNotice } from "@ui/change/FailedNotice";
import { useTranslation } from "@ui/translation";
import { type ReactNode, useEffect, useRef } from "react";
import { coverOf } from "./cover";
import type { Result } from "./PublishPage";
import { hostOf, isWildcard, testable } from "./publish";
import { useServerReach } from "./ReachHint";
import { useAddresses, useCertificates } from "./requests";

interface Props {
	result: Result;
	onUndone: () => void;
}

/** Published says what came of it, with what can be seen of the site from here, and what to do when it is not reachable. */
export default function Published({ result: { values, ids, done }, onUndone }: Props) {
	const { t } = useTranslation("proxy");
	const name = hostOf(values.name);
	const heading = useRef<HTMLHeadingElement>(null);
	useEffect(() => heading.current?.focus(), []);
	const reach = useServerReach(testable(values));
	const silent = reach.status === "danger";
	const failed = done.outcome?.apply === "failed" && done.outcome;
	if (failed) return <FailedNotice component="proxy" outcome={failed} onUndone={onUndone} />;
	return (
		<div className="gw-published">
			<Title headingLevel="h2" size="xl" tabIndex={-1} ref={heading}>
				{!silent && <CheckCircleIcon aria-hidden="true" />}{" "}
				{t(silent ? "published.silent" : "published.title", { name })}
			</Title>
			{silent && <Notice kind="warning" title={reach.words} />}
			{done.outcome?.waits && <Notice kind="info" title={t("published.waits")} />}
			{done.outcome?.apply === "pending" && <Notice kind="info" title={t("published.pending")} />}
			<p className="gw-published-links">
				{!isWildcard(name) && (
					<a href={`https://${name}/`} target="_blank" rel="noopener noreferrer">
						{t("published.visit", { name })} <ExternalLinkAltIcon aria-hidden="true" />
					</a>
				)}
				<Link to={`/proxy/sites/${ids.site}`}>{t("published.settings")}</Link>
			</p>
			<Checks values={values} pool={values.where === "new" ? ids.pool : values.backend_id} />
		</div>
	);
}

/** Checks is what usually keeps a new site from being reached, each as far as it can be seen from here. */
function Checks({ values, pool }: { values: Result["values"]; pool: string }) {
	const { t } = useTranslation("proxy");
	const name = hostOf(values.name);
	const state = useStates("backend")(pool);
	const cover = coverOf(useCertificates() ?? [], name);
	const addresses = useAddresses().join(", ");
	return (
		<section>
			<h3>{t("published.unreachable")}</h3>
			<ul className="gw-published-checks">
				<Check title={t("published.dns")}>{t("published.dnsText", { name, addresses })}</Check>
				<Check title={t("published.ports")}>{t("published.portsText")}</Check>
				<Check title={t("published.pool")} state={pool && <ObjectState state={state} normal="up" />}>
					{t(pool ? "published.poolText" : "published.noPoolText")}
				</Check>
				<Check
					title={t("published.certificate")}
					state={cover && <CertificateState id={cover.id} status={cover.status} />}
				>
					{t(certificateText(cover?.status))}
				</Check>
			</ul>
		</section>
	);
}

/** certificateText says what there is to wait for or to do, for the state that is shown beside it. */
function certificateText(status?: string) {
	switch (status) {
		case undefined:
			return "published.noCertificateText";
		case "pending":
			return "published.certificateText";
		case "valid":
			return "published.certificateThere";
		default:
			return "published.certificateOther";
	}
}

function Check({ title, state, children }: { title: string; state?: ReactNode; children: string }) {
	return (
		<li>
			<strong>{title}</strong> {state}
			<p>{children}</p>
		</li>
	);
}
