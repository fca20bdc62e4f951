import type { TunnelPeer } from "@api";
import { Button } from "@patternfly/react-core";
import { DownloadIcon } from "@patternfly/react-icons";
import { BusyButton, Dialog, ErrorState, toast, useErrorText, Waiting } from "@ui";
import { saveAs } from "@ui/saveAs";
import { useTranslation } from "@ui/translation";
import { useCode, useConfig } from "./requests";

/** DeviceDialog shows what a device needs to connect: a code to scan, or a file. */
export default function DeviceDialog({ peer, onClose }: { peer: TunnelPeer; onClose: () => void }) {
	const { t } = useTranslation("tunnel");
	const text = useErrorText();
	const { data: code, error, refetch } = useCode(peer);
	const { mutate: load, isPending } = useConfig(peer);
	const download = () =>
		load(undefined, {
			onSuccess: (config) => saveAs(`${fileName(peer.name)}.conf`, config, "text/plain"),
			onError: (failure) => toast.danger(text(failure)),
		});
	return (
		<Dialog
			title={t("device.show", { name: peer.name })}
			description={t("device.scan")}
			onClose={onClose}
			footer={
				<>
					<Button onClick={onClose}>{t("device.done")}</Button>
					<BusyButton variant="secondary" icon={<DownloadIcon />} busy={isPending} onClick={download}>
						{t("device.download")}
					</BusyButton>
				</>
			}
		>
			{error && <ErrorState error={error} retry={refetch} />}
			{!error && !code && <Waiting height="18rem" />}
			{code && <img className="gw-tunnel-code" src={code} alt={t("device.code", { name: peer.name })} />}
		</Dialog>
	);
}

/** fileName is what wg-quick takes as the name of an interface. */
const fileName = (name: string) => name.replace(/[^a-zA-Z0-9_.-]+/g, "-").slice(0, 15) || "wg0";
