import type { ProxyUser } from "@api";
import { KeyIcon } from "@patternfly/react-icons";
import { type Column, ResourceSection, Time } from "@ui";
import { SettingsForm } from "@ui/SettingsForm";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { loginsOf } from "./parts";
import { siteSettings } from "./settings";
import { schema, security } from "./siteFields";

/** SecurityTab is what a site demands of browsers, and of those who use it. */
export default function SecurityTab({ id }: { id: string }) {
	const { t } = useTranslation("proxy");
	const settings = useMemo(
		() =>
			siteSettings(
				id,
				security.map((field) => field.name),
			),
		[id],
	);
	const logins = useMemo(() => loginsOf(id), [id]);
	const columns: Column<ProxyUser>[] = [
		{ key: "name", title: t("login.field.name"), sortable: true, width: 60 },
		{ key: "updated_at", title: t("changed"), sortable: true, cell: (login) => <Time value={login.updated_at} /> },
	];
	return (
		<div className="gw-proxy-parts">
			<SettingsForm settings={settings} ns="proxy/site" schema={schema} fields={security} />
			<section>
				<h2>{t("login.title")}</h2>
				<p className="gw-proxy-lead">{t("login.hint")}</p>
				<ResourceSection
					resource={logins}
					ns="proxy/login"
					icon={KeyIcon}
					columns={columns}
					defaultSort="name"
					form={() => import("./loginForm")}
				/>
			</section>
		</div>
	);
}
