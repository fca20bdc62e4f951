import type { FirewallConnectionFilter } from "@api";
import { ConfirmDialog, toast } from "@ui";
import { useTranslation } from "@ui/translation";
import { useCut } from "./requests";

/** CutDialog asks before connections are ended. Whoever had one begins anew, if the rules let him. */
export default function CutDialog({ filter, onClose }: { filter: FirewallConnectionFilter; onClose: () => void }) {
	const { t } = useTranslation("firewall");
	const { mutateAsync } = useCut();
	const cut = async () => {
		const { cut: count } = await mutateAsync(filter);
		toast.success(t("connection.done", { count }));
	};
	const said = Object.entries(filter).map(([key, value]) => `${t(`filter.${key}`)} ${value}`);
	return (
		<ConfirmDialog
			title={t("connection.cutTitle")}
			confirm={t("connection.cut")}
			danger
			onConfirm={cut}
			onClose={onClose}
		>
			<p>{t("connection.cutText")}</p>
			<p>
				<code className="gw-mono">{said.join(", ")}</code>
			</p>
		</ConfirmDialog>
	);
}
