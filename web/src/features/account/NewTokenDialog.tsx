import type { UserNewTokenView } from "@api";
import { Button, Modal, ModalBody, ModalFooter, ModalHeader } from "@patternfly/react-core";
import { LeaveGuard, SecretBox } from "@ui";
import { useTranslation } from "react-i18next";

/** NewTokenDialog shows a token this once. */
export function NewTokenDialog({ token, onClose }: { token: UserNewTokenView; onClose: () => void }) {
	const { t } = useTranslation("account");
	return (
		<Modal isOpen variant="small" aria-labelledby="token-title">
			<ModalHeader title={t("tokens.created")} labelId="token-title" description={token.name} />
			<ModalBody>
				<SecretBox secrets={[token.token]} notice={t("tokens.notice")} />
				<p className="gw-account-usage">
					{t("tokens.usage")} <code>Authorization: Bearer …</code>
				</p>
				<LeaveGuard when={() => true} />
			</ModalBody>
			<ModalFooter>
				<Button onClick={onClose}>{t("done")}</Button>
			</ModalFooter>
		</Modal>
	);
}
