import type { ProxyUser } from "@api";
import { KeyIcon } from "@patternfly/react-icons";
import { type Column, later, ResourceSection, Time, Waiting } from "@ui";
import { useTranslation } from "@ui/translation";
import { Suspense, useMemo } from "react";
import { loginsOf } from "./parts";

const SecurityForm = later("site security", () => import("./SecurityForm"));

/** SecurityTab is what a site demands of browsers, and of those who use it. */
export function SecurityTab({ id }: { id: string }) {
	const { t } = useTranslation("proxy");
	const logins = useMemo(() => loginsOf(id), [id]);
	const columns: Column<ProxyUser>[] = [
		{ key: "name", title: t("login.field.name"), sortable: true, width: 60 },
		{ key: "updated_at", title: t("changed"), sortable: true, cell: (login) => <Time value={login.updated_at} /> },
	];
	return (
		<div className="gw-proxy-parts">
			<Suspense fallback={<Waiting height="24rem" />}>
				<SecurityForm id={id} />
			</Suspense>
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
