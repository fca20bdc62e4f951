import { type ProxyDomain, useSave } from "@api";
import { tell, toast, useErrorText } from "@ui";
import { useTranslation } from "@ui/translation";
import { sites } from "./resource";
import { inputOf } from "./settings";

/** useMaintenance begins or ends the maintenance of a site, and says what came of it. */
export function useMaintenance() {
	const { t } = useTranslation("proxy");
	const text = useErrorText();
	const { mutate } = useSave(sites);
	return (site: ProxyDomain, maintenance: boolean) =>
		mutate(
			{ row: site, body: { ...inputOf(site), maintenance } },
			{
				onSuccess: ({ outcome }) =>
					tell(t(maintenance ? "maintenance.began" : "maintenance.ended", { name: site.name }), "proxy", outcome),
				onError: (error) => toast.danger(t("notSaved", { name: site.name }), { detail: text(error) }),
			},
		);
}
