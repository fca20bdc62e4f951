import type { UserIdentity, UserTokenView } from "@api";
import { Button } from "@patternfly/react-core";
import { KeyIcon } from "@patternfly/react-icons";
import { ConfirmDialog, EmptyState, ErrorState, toast, useUrlState, Waiting } from "@ui";
import { useTranslation } from "@ui/translation";
import { useState } from "react";
import { CreateTokenDialog } from "./CreateTokenDialog";
import { NewTokenDialog } from "./NewTokenDialog";
import { useCreateToken, useRevokeToken, useTokens } from "./requests";
import { Section } from "./Section";
import { TokenItem } from "./TokenItem";

/** TokensTab is for programs that act for this account. */
export function TokensTab({ me }: { me: UserIdentity }) {
	const { t } = useTranslation("account");
	const { data: tokens, error, refetch } = useTokens();
	const create = useCreateToken();
	const { mutateAsync: revoke } = useRevokeToken();
	const [search, set] = useUrlState();
	const [doomed, doom] = useState<UserTokenView>();
	const close = () => set({ do: undefined });
	if (error && !tokens) return <ErrorState error={error} retry={refetch} />;
	if (!tokens) return <Waiting />;
	const button = <Button onClick={() => set({ do: "create" }, { push: true })}>{t("tokens.create")}</Button>;
	return (
		<div className="gw-account">
			<Section title={t("tokens.title")} lead={t("tokens.lead")} action={tokens.length > 0 && button}>
				{tokens.length === 0 ? (
					<EmptyState title={t("tokens.empty")} icon={KeyIcon} action={button}>
						{t("tokens.emptyText")}
					</EmptyState>
				) : (
					<ul className="gw-account-list">
						{tokens.map((token) => (
							<TokenItem key={token.id} token={token} onRevoke={() => doom(token)} />
						))}
					</ul>
				)}
			</Section>
			{search.do === "create" && (
				<CreateTokenDialog admin={me.role === "admin"} create={create.mutateAsync} onClose={close} />
			)}
			{create.data && <NewTokenDialog token={create.data} onClose={create.reset} />}
			{doomed && (
				<ConfirmDialog
					title={t("tokens.revoke")}
					confirm={t("tokens.revoke")}
					danger
					onConfirm={() => revoke(doomed.id).then(() => toast.success(t("tokens.revoked", { name: doomed.name })))}
					onClose={() => doom(undefined)}
				>
					{t("tokens.revokeText", { name: doomed.name })}
				</ConfirmDialog>
			)}
		</div>
	);
}
