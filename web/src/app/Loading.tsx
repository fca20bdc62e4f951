import { Bullseye, Spinner } from "@patternfly/react-core";
import { useTranslation } from "@ui/translation";
import { useEffect, useState } from "react";

/** Loading shows a spinner, but not for a blink. */
export function Loading() {
	const { t } = useTranslation("ui");
	const [slow, setSlow] = useState(false);
	useEffect(() => {
		const timer = setTimeout(() => setSlow(true), 200);
		return () => clearTimeout(timer);
	}, []);
	return <Bullseye>{slow && <Spinner aria-label={t("loading")} aria-valuetext={t("loading")} />}</Bullseye>;
}
