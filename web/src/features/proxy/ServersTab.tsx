import { type ProxyBackend, type ProxyServer, useStates } from "@api";
import { ServerIcon } from "@patternfly/react-icons";
import { type Column, formatNumber, ObjectState, ResourceSection, storedInput, useSwitchBulk } from "@ui";
import { useTranslation } from "@ui/translation";
import { useMemo } from "react";
import { DrainSwitch } from "./DrainSwitch";
import type { Counted } from "./health";
import { serversOf } from "./parts";

interface Props {
	pool: ProxyBackend;
	counted: Counted | undefined;
}

/** ServersTab is the servers of a pool, each with how it does and the switch that lets it finish. */
export function ServersTab({ pool, counted }: Props) {
	const { t } = useTranslation("proxy");
	const resource = useMemo(() => serversOf(pool.id), [pool.id]);
	const stateOf = useStates("server");
	const bulk = useSwitchBulk<"active", ProxyServer>("active", (server) => storedInput(server, "proxy_name"));
	const row = (server: ProxyServer) => counted?.server(pool.id, server.proxy_name);
	const figure = (value: number | undefined) => (value === undefined ? "–" : formatNumber(value));
	const columns: Column<ProxyServer>[] = [
		{ key: "name", title: t("server.field.name"), sortable: true, width: 15 },
		{
			key: "address",
			title: t("server.field.address"),
			sortable: true,
			width: 20,
			cell: (one) => <Address of={one} />,
		},
		{
			key: "live.state",
			title: t("pool.state"),
			width: 20,
			cell: (one) => <ObjectState state={stateOf(one.id)} normal="up" />,
		},
		{
			key: "weight",
			title: t("server.field.weight"),
			sortable: true,
			cell: (one) => (one.backup ? t("server.backup") : one.weight),
		},
		{ key: "live.sessions", title: t("sessions"), cell: (one) => figure(row(one)?.sessions) },
		{ key: "live.rate", title: t("rate"), cell: (one) => figure(row(one)?.req_rate) },
		{ key: "drain", title: t("server.field.drain"), cell: (one) => <DrainSwitch server={one} resource={resource} /> },
	];
	return (
		<ResourceSection
			resource={resource}
			ns="proxy/server"
			icon={ServerIcon}
			bulk={bulk}
			columns={columns}
			defaultSort="name"
			form={() => import("./serverForm")}
		/>
	);
}

function Address({ of }: { of: ProxyServer }) {
	const host = of.address.includes(":") ? `[${of.address}]` : of.address;
	const text = `${host}:${of.port}`;
	return (
		<code className="gw-mono" title={text}>
			{text}
		</code>
	);
}
