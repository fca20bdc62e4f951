import { zProxyDomainInput } from "@api/schemas";
import type { Field } from "@ui";
import { useTranslation } from "@ui/translation";
import { useSitePools } from "./requests";

/** schema of a whole site; each form asks for a part of it. */
export const schema = zProxyDomainInput;

/** useChoices also offers no pool at all: the rules may lead to all that there is. */
function useChoices() {
	const { t } = useTranslation("proxy");
	return [{ value: "", label: t("pool.none") }, ...useSitePools()];
}

const day = 86_400;
const year = 365 * day;
const mib = 1_048_576;

export const basics: Field[] = [
	{ name: "name", required: true, section: "domain" },
	{ name: "backend_id", kind: "choice", useChoices, section: "domain" },
	{ name: "active", section: "domain" },
	{ name: "maintenance", section: "domain" },
	{ name: "http_to_https", section: "redirects" },
	{ name: "www_redirect", section: "redirects" },
	{ name: "disable_h3", section: "advanced" },
	{ name: "notes", kind: "textarea", section: "advanced" },
];

export const security: Field[] = [
	{ name: "hsts_max_age", unit: "seconds", presets: [0, day, 30 * day, year, 2 * year], wide: true, section: "hsts" },
	{ name: "hsts_subdomains", section: "hsts" },
	{ name: "hsts_preload", section: "hsts" },
	{ name: "rate_limit", unit: "requests", presets: [0, 50, 100, 500], section: "limits" },
	{ name: "max_body_size", unit: "bytes", presets: [0, mib, 10 * mib, 100 * mib, 1024 * mib], section: "limits" },
	{ name: "allow_from", wide: true, section: "access" },
];
