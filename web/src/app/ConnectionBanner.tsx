import { sawVersion, useConnection, useHealthWatch, useOutdated } from "@api";
import { Button } from "@patternfly/react-core";
import { useEffect } from "react";
import { useTranslation } from "react-i18next";

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
