import type { CertProvider } from "@api";
import { CloudIcon } from "@patternfly/react-icons";
import { type Column, ResourceSection, Time } from "@ui";
import { useTranslation } from "@ui/translation";
import type { Flat } from "./provider";
import { useKindTitle } from "./requests";
import { providers } from "./resource";

/** ProvidersTab is who changes DNS records for certificates that are ordered by DNS. */
export function ProvidersTab() {
	const { t } = useTranslation("cert");
	const titleOf = useKindTitle();
	const columns: Column<CertProvider & Flat>[] = [
		{ key: "name", title: t("provider.field.name"), sortable: true, width: 40 },
		{ key: "kind", title: t("provider.field.kind"), sortable: true, width: 35, cell: (one) => titleOf(one.kind) },
		{ key: "updated_at", title: t("provider.changed"), sortable: true, cell: (one) => <Time value={one.updated_at} /> },
	];
	return (
		<ResourceSection
			resource={providers}
			ns="cert/provider"
			icon={CloudIcon}
			columns={columns}
			defaultSort="name"
			form={async () => (await import("./providerForm")).loadForm()}
		/>
	);
}
