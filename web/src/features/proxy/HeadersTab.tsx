import type { ProxyHeader } from "@api";
import { ListIcon } from "@patternfly/react-icons";
import { type Column, ResourceSection } from "@ui";
import { useTranslation } from "@ui/translation";
import { useMemo } from "react";
import { headersOf } from "./parts";

/** HeadersTab is what every answer of a site carries. */
export function HeadersTab({ site }: { site: string }) {
	const { t } = useTranslation("proxy");
	const resource = useMemo(() => headersOf(site), [site]);
	const columns: Column<ProxyHeader>[] = [
		{ key: "name", title: t("header.field.name"), sortable: true, width: 35, cell: (one) => <Code>{one.name}</Code> },
		{ key: "value", title: t("header.field.value"), width: 60, cell: (one) => <Code>{one.value}</Code> },
	];
	return (
		<ResourceSection
			resource={resource}
			ns="proxy/header"
			icon={ListIcon}
			columns={columns}
			defaultSort="name"
			form={() => import("./headerForm")}
		/>
	);
}

function Code({ children }: { children: string }) {
	return (
		<code className="gw-mono" title={children}>
			{children}
		</code>
	);
}
