import { Notice } from "@ui";
import { FormField } from "@ui/FormField";
import { useTranslation } from "@ui/translation";
import { useRef } from "react";
import type { Control, UseFormReturn } from "react-hook-form";
import { hostOf, isSiteName, type Values } from "./publish";
import { inputs } from "./publishForm";
import { NameReach } from "./ReachHint";
import { useAddresses } from "./requests";
import { useHolder, wantedAt } from "./taken";
import { useSettled } from "./useReach";

/** NameStep asks for the name, and says where the name leads and has to lead. */
export function NameStep({ form }: { form: UseFormReturn<Values> }) {
	const { t } = useTranslation("proxy");
	const addresses = useAddresses();
	const name = hostOf(form.watch("name"));
	const box = useRef<HTMLDivElement>(null);
	const settled = useSettled(isSiteName(name) ? name : "", box);
	const holder = useHolder(wantedAt("name", { ...form.getValues(), name: settled }));
	return (
		<>
			<div ref={box}>
				<FormField ns="proxy/publish" input={inputs.name} control={form.control as unknown as Control} />
				<NameReach name={settled} holder={holder} />
			</div>
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
