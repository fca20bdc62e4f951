import { type ProxyPort, useStates } from "@api";
import { PlugIcon } from "@patternfly/react-icons";
import { type Column, ObjectState, ResourceSection, storedInput, useSwitchBulk } from "@ui";
import { useTranslation } from "@ui/translation";
import { PoolLink } from "./PoolLink";
import { services } from "./resource";

/** ServicesTab is the ports that are passed through as they are. */
export function ServicesTab() {
	const { t } = useTranslation("proxy");
	const stateOf = useStates("tcp_service");
	const bulk = useSwitchBulk<"active", ProxyPort>("active", storedInput);
	const columns: Column<ProxyPort>[] = [
		{ key: "name", title: t("service.field.name"), sortable: true, width: 25 },
		{ key: "port", title: t("service.field.port"), sortable: true, width: 10 },
		{
			key: "backend_id",
			title: t("service.field.backend_id"),
			width: 25,
			cell: (one) => <PoolLink id={one.backend_id} />,
		},
		{
			key: "allow_from",
			title: t("service.field.allow_from"),
			width: 25,
			cell: (one) => (one.allow_from.length > 0 ? <Networks of={one.allow_from} /> : t("everybody")),
		},
		{
			key: "active",
			title: t("site.state"),
			cell: (one) => <ObjectState state={stateOf(one.id)} normal="serving" />,
		},
	];
	return (
		<ResourceSection
			resource={services}
			ns="proxy/service"
			icon={PlugIcon}
			bulk={bulk}
			columns={columns}
			defaultSort="name"
			form={() => import("./serviceForm")}
		/>
	);
}

function Networks({ of }: { of: string[] }) {
	const text = of.join(", ");
	return (
		<code className="gw-mono" title={text}>
			{text}
		</code>
	);
}
