import { FormSelect, FormSelectOption } from "@patternfly/react-core";
import { Outlet } from "@tanstack/react-router";
import { Logo } from "@ui/Logo";
import { useTranslation } from "@ui/translation";
import type { ReactNode } from "react";
import { type Language, languages, setLanguage } from "./language";

/** BareFrame is around the pages before somebody is signed in. */
export function BareFrame({ children = <Outlet /> }: { children?: ReactNode }) {
	const { t, i18n } = useTranslation();
	return (
		<div className="gw-bare">
			<header>
				<Logo size={36} />
			</header>
			<main id="main">{children}</main>
			<footer>
				<FormSelect
					aria-label={t("language.label")}
					value={i18n.resolvedLanguage}
					onChange={(_, value) => void setLanguage(value as Language)}
				>
					{languages.map((one) => (
						<FormSelectOption key={one} value={one} label={t(`language.${one}`)} />
					))}
				</FormSelect>
			</footer>
		</div>
	);
}
