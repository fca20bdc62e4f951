import { Bullseye, Button } from "@patternfly/react-core";
import { SearchIcon } from "@patternfly/react-icons";
import { useNavigate } from "@tanstack/react-router";
import { EmptyState } from "@ui/EmptyState";
import { useEffect } from "react";
import { useTranslation } from "react-i18next";

/** NotFound stands at addresses that lead nowhere. */
export function NotFound() {
	const { t } = useTranslation();
	const navigate = useNavigate();
	useEffect(() => {
		document.title = `${t("notFound.title")} · Gateway`;
	}, [t]);
	return (
		<Bullseye className="gw-alone">
			<EmptyState
				title={t("notFound.title")}
				icon={SearchIcon}
				action={<Button onClick={() => void navigate({ to: "/" })}>{t("home")}</Button>}
			>
				{t("notFound.text")}
			</EmptyState>
		</Bullseye>
	);
}
