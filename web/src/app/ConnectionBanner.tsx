import { problemsOptions, sawVersion, session, useConnection, useHealthWatch, useIdentity, useOutdated } from "@api";
import { Button } from "@patternfly/react-core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "@ui/translation";
import { useEffect, useRef } from "react";

/** ConnectionBanner says quietly that the server is away (it retries by itself) or that a newer version runs. */
export function ConnectionBanner() {
	const { t } = useTranslation();
	const connection = useConnection();
	const outdated = useOutdated();
	const version = useHealthWatch().data?.version;
	useEffect(() => {
		if (version) sawVersion(version);
	}, [version]);
	return (
		<div role="status" className="gw-banners">
			{connection !== "online" && (
				<p className="gw-banner" data-kind="away">
					{t(`connection.${connection}`)}
					{connection === "database" && <SetupAdministrator />}
				</p>
			)}
			{connection === "online" && outdated && (
				<p className="gw-banner">
					{t("outdated.text")}{" "}
					<Button variant="link" isInline onClick={() => window.location.reload()}>
						{t("outdated.reload")}
					</Button>
				</p>
			)}
		</div>
	);
}

/**
 * SetupAdministrator: without the database a session is believed for a minute. After that one account can still sign in and
 * look at the system; the page below stays as it is until somebody does.
 */
function SetupAdministrator() {
	const { t } = useTranslation();
	const somebody = useIdentity();
	// Whoever shows problems asks; this only hears the answer.
	const { error } = useQuery({ ...problemsOptions(), enabled: false });
	const asked = useRef(false);
	// The database is back, and with it the session; if that is over, the next refusal says so.
	useEffect(() => () => void (asked.current && session.over.set(false)), []);
	if (!somebody || error?.code !== "database_unavailable") return null;
	const ask = () => {
		asked.current = true;
		session.over.set(true);
	};
	return (
		<>
			{" "}
			<Button variant="link" isInline onClick={ask}>
				{t("limited.signIn")}
			</Button>
		</>
	);
}
