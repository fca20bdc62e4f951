import type { UserTokenView } from "@api";
import { Button } from "@patternfly/react-core";
import { StatusLabel, Time } from "@ui";
import { useTranslation } from "@ui/translation";
import { expiryOf } from "./expiry";

/** TokenItem is a token without the token itself. */
export function TokenItem({ token, onRevoke }: { token: UserTokenView; onRevoke: () => void }) {
	const { t } = useTranslation("account");
	const { key, status } = expiryOf(token.expires_at);
	return (
		<li>
			<div>
				<p className="gw-account-name">
					{token.name} {status && <StatusLabel status={status}>{t(`tokens.${key}`)}</StatusLabel>}
				</p>
				<p className="gw-account-facts">
					<span>{t(`option.role.${token.role}`)}</span>
					<span>
						{t(key === "expired" ? "tokens.ended" : "tokens.ends")} <Time value={token.expires_at} />
					</span>
					<span>
						{token.last_used_at ? (
							<>
								{t("tokens.used")} <Time value={token.last_used_at} />
							</>
						) : (
							t("tokens.unused")
						)}
					</span>
				</p>
			</div>
			<Button variant="secondary" size="sm" aria-label={t("tokens.revokeOf", { name: token.name })} onClick={onRevoke}>
				{t("tokens.revokeShort")}
			</Button>
		</li>
	);
}
