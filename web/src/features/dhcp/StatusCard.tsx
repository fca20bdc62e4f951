import { ApiError, type DhcpStatus, useCurrent } from "@api";
import { Notice, StatusLabel, UnknownState, useErrorText, Waiting } from "@ui";
import { useTranslation } from "@ui/translation";
import { useStatus } from "./requests";

/** StatusCard is where clients are served: interface, zone, opened port. */
export function StatusCard() {
	const { t } = useTranslation("dhcp");
	const text = useErrorText();
	const query = useStatus();
	const { data, error } = query;
	const status = useCurrent(query);
	// The page says that already, with a link to the setting.
	if (error instanceof ApiError && error.code === "switched_off") return null;
	return (
		<section className="gw-panel gw-dhcp-card" aria-label={t("status.title")}>
			{error && <Notice kind="warning" title={text(error)} />}
			{status && <Served status={status} />}
			{/* The server is away, which stands above the page. */}
			{data && !status && !error && <UnknownState />}
			{!error && !data && <Waiting height="3rem" />}
		</section>
	);
}

function Served({ status }: { status: DhcpStatus }) {
	const { t } = useTranslation("dhcp");
	if (status.interfaces.length === 0) return <p>{t("status.none")}</p>;
	const good = status.sockets === "ready";
	return (
		<dl>
			{status.interfaces.map(({ interface: name, zone, listening, subnets }) => (
				<div key={name}>
					<dt>
						{/* Where nobody listens it does not matter whether the port is open; there may be no such interface. */}
						{name} · {zone ? t(listening ? "status.zone" : "status.onlyZone", { zone }) : t("status.noZone")}
					</dt>
					<dd>
						<StatusLabel status={listening && good ? "success" : "warning"}>
							{t(listening ? (good ? "status.listening" : "status.retrying") : "status.silent")}
						</StatusLabel>
						<code className="gw-mono">{subnets.join(", ")}</code>
					</dd>
				</div>
			))}
		</dl>
	);
}
