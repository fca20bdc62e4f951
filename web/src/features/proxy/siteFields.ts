import { zProxyDomainInput } from "@api/schemas";
import type { Field } from "@ui";
import { useTranslation } from "react-i18next";
import { useSitePools } from "./requests";

/** schema of a whole site; each form asks for a part of it. */
export const schema = zProxyDomainInput;

/** useChoices also offers no pool at all: the rules may lead to all that there is. */
function useChoices() {
	const { t } = useTranslation("proxy");
	return [{ value: "", label: t("pool.none") }, ...useSitePools()];
}

export const basics: Field[] = [
	{ name: "name", required: true },
	{ name: "backend_id", kind: "choice", useChoices },
	{ name: "active" },
	{ name: "maintenance" },
	{ name: "http_to_https" },
	{ name: "www_redirect" },
	{ name: "disable_h3" },
	{ name: "notes", kind: "textarea" },
];

export const security: Field[] = [
	{ name: "hsts_max_age", narrow: true },
	{ name: "hsts_subdomains" },
	{ name: "hsts_preload" },
	{ name: "rate_limit", narrow: true },
	{ name: "max_body_size", narrow: true },
	{ name: "allow_from" },
];
