import { useHealth } from "@api";
import { Button, Checkbox } from "@patternfly/react-core";
import { PrintIcon } from "@patternfly/react-icons";
import { Dialog, LeaveGuard, SecretBox } from "@ui";
import { useTranslation } from "@ui/translation";
import { useState } from "react";

interface Props {
	codes: string[];
	email: string;
	onStored: () => void;
}

/** RecoveryCodes shows the codes this once, and stays until somebody says that they are stored. */
export function RecoveryCodes({ codes, email, onStored }: Props) {
	const { t } = useTranslation("account");
	const { data: health } = useHealth();
	const [stored, setStored] = useState(false);
	const host = health?.hostname ?? "gateway";
	const done = (
		<Button isDisabled={!stored} onClick={onStored}>
			{t("done")}
		</Button>
	);
	return (
		<Dialog title={t("codes.title")} description={t("codes.text")} className="gw-codes" footer={done}>
			<div className="gw-codes-body">
				<p className="gw-codes-of">{t("codes.of", { host, email })}</p>
				<SecretBox secrets={codes} notice={t("codes.notice")} fileName={`recovery-codes-${host}.txt`} />
				<Button variant="secondary" icon={<PrintIcon />} className="gw-codes-print" onClick={() => window.print()}>
					{t("codes.print")}
				</Button>
				<Checkbox id="codes-stored" label={t("codes.stored")} isChecked={stored} onChange={(_, on) => setStored(on)} />
			</div>
			<LeaveGuard when={() => true} />
		</Dialog>
	);
}
