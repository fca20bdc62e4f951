import type { UserNewTokenView } from "@api";
import { Button } from "@patternfly/react-core";
import { Dialog, LeaveGuard, SecretBox } from "@ui";
import { useTranslation } from "@ui/translation";

/** NewTokenDialog shows a token this once. */
export function NewTokenDialog({ token, onClose }: { token: UserNewTokenView; onClose: () => void }) {
	const { t } = useTranslation("account");
	return (
		<Dialog
			title={t("tokens.created")}
			description={token.name}
			footer={<Button onClick={onClose}>{t("done")}</Button>}
		>
			<SecretBox secrets={[token.token]} notice={t("tokens.notice")} />
			<p className="gw-account-usage">
				{t("tokens.usage")} <code>Authorization: Bearer …</code>
			</p>
			<LeaveGuard when={() => true} />
		</Dialog>
	);
}
