import { ApiError, type DhcpSubnet, useCurrent } from "@api";
import { StatusLabel, UnknownState } from "@ui";
import { useTranslation } from "react-i18next";
import { useStatus } from "./requests";

interface Props {
	subnet: DhcpSubnet;
	/** The subnet was looked at just now. */
	current: boolean;
}

/** SubnetState is whether the clients of a subnet are served at this moment. */
export function SubnetState({ subnet, current }: Props) {
	const { t } = useTranslation("dhcp");
	const query = useStatus();
	const status = useCurrent(query);
	const off = query.error instanceof ApiError && query.error.code === "switched_off";
	if (!current) return <UnknownState />;
	if (!subnet.active) return <StatusLabel status="neutral">{t("subnet.off")}</StatusLabel>;
	// That is what was chosen, and no fault.
	if (off) return <StatusLabel status="neutral">{t("status.silent")}</StatusLabel>;
	if (!status) return <UnknownState />;
	const listens = status.interfaces.some((one) => one.interface === subnet.interface && one.listening);
	const good = listens && status.sockets === "ready";
	return <StatusLabel status={good ? "success" : "warning"}>{t(good ? "subnet.on" : "status.silent")}</StatusLabel>;
}
