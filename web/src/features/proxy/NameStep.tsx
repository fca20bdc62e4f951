import { Notice } from "@ui";
import { FormField } from "@ui/FormField";
import type { Control, UseFormReturn } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { hostOf, isSiteName, type Values } from "./publish";
import { inputs } from "./publishForm";
import { useAddresses } from "./requests";

/** NameStep asks for the name, and says where the name has to lead. */
export function NameStep({ form }: { form: UseFormReturn<Values> }) {
	const { t } = useTranslation("proxy");
	const addresses = useAddresses();
	const name = hostOf(form.watch("name"));
	return (
		<>
			<FormField ns="proxy/publish" input={inputs.name} control={form.control as unknown as Control} />
			<Notice kind="info" title={t("publish.dns", { name: isSiteName(name) ? name : t("publish.thisName") })}>
				{addresses.length > 0 && (
					<ul className="gw-publish-addresses">
						{addresses.map((address) => (
							<li key={address}>
								<code className="gw-mono">{address}</code> {t(address.includes(":") ? "publish.aaaa" : "publish.a")}
							</li>
						))}
					</ul>
				)}
				<p>{t("publish.dnsHint")}</p>
			</Notice>
		</>
	);
}
