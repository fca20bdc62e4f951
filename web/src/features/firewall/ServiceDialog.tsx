import { type FirewallServiceInput, useSave } from "@api";
import { ConfirmDialog } from "@ui";
import { useTranslation } from "react-i18next";
import { services } from "./resource";

interface Props {
	protocol: string;
	port: number;
	onMade: (id: string) => void;
	onClose: () => void;
}

/** ServiceDialog makes a service for a port that has none, so that a rule can be about it. */
export default function ServiceDialog({ protocol, port, onMade, onClose }: Props) {
	const { t } = useTranslation("firewall");
	const { mutateAsync } = useSave(services);
	const what = `${protocol} ${port}`;
	const make = async () => {
		const body = { name: what, protocol: protocol as FirewallServiceInput["protocol"], port };
		const { data } = await mutateAsync({ body });
		onMade(data.id);
	};
	return (
		<ConfirmDialog
			title={t("log.noService", { what })}
			confirm={t("log.makeService")}
			onConfirm={make}
			onClose={onClose}
		>
			{t("log.noServiceText", { what })}
		</ConfirmDialog>
	);
}
