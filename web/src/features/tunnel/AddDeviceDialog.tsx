import type { TunnelPeer } from "@api";
import { zTunnelPeerInputWritable } from "@api/schemas";
import { type Field, FormDialog } from "@ui";
import { useTranslation } from "@ui/translation";
import { useState } from "react";
import DeviceDialog from "./DeviceDialog";
import { useAddDevice, useServerChoices } from "./requests";

const name: Field = { name: "name", focus: true };
const tunnel: Field = { name: "interface_id", kind: "choice", useChoices: useServerChoices };

/** AddDeviceDialog asks for a name, and then shows the code to scan. */
export default function AddDeviceDialog({ onClose }: { onClose: () => void }) {
	const { t } = useTranslation("tunnel");
	const servers = useServerChoices();
	const { mutateAsync: add } = useAddDevice();
	const [made, setMade] = useState<TunnelPeer>();
	if (made) return <DeviceDialog peer={made} onClose={onClose} />;
	return (
		<FormDialog
			title={t("device.add")}
			description={t("device.text")}
			schema={zTunnelPeerInputWritable}
			ns="tunnel/peer"
			fields={servers.length > 1 ? [name, tunnel] : [name]}
			initial={{ interface_id: servers[0]?.value }}
			submit={(body: { name: string; interface_id?: string }) =>
				add({ ...body, interface_id: body.interface_id ?? servers[0]?.value ?? "" })
			}
			onDone={setMade}
			submitLabel={t("device.submit")}
			onClose={onClose}
		/>
	);
}
