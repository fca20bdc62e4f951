import type { Certificate } from "@api";
import { ConfirmDialog, toast } from "@ui";
import { useTranslation } from "@ui/translation";
import { useRenew } from "./requests";

/** RenewDialog asks before a certificate is ordered anew: authorities count orders. */
export default function RenewDialog({ certificate, onClose }: { certificate: Certificate; onClose: () => void }) {
	const { t } = useTranslation("cert");
	const { mutateAsync: renew } = useRenew();
	const [name = ""] = certificate.names;
	const confirm = async () => {
		await renew(certificate);
		toast.success(t("renew.asked", { name }));
	};
	return (
		<ConfirmDialog title={t("renew.title")} confirm={t("renew.confirm")} onConfirm={confirm} onClose={onClose}>
			{t(certificate.source === "acme" ? "renew.text" : "renew.textSelf", { name })}
		</ConfirmDialog>
	);
}
