import { useTranslation } from "@ui/translation";
import { parseUserAgent } from "./userAgent";

/** useDeviceName words a user agent: "Firefox on Linux", or what it said itself when we do not know it. */
export function useDeviceName(): (userAgent: string) => string {
	const { t } = useTranslation("account");
	return (userAgent) => {
		const { program, system } = parseUserAgent(userAgent);
		if (program && system) return t("sessions.device", { program, system });
		const said = userAgent.trim();
		return program ?? system ?? (said.length > 60 ? `${said.slice(0, 59)}…` : said || t("sessions.unknown"));
	};
}
