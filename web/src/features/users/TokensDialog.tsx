import { invalidate, listUserTokensOptions, revokeUserToken, type User, type UserTokenView } from "@api";
import { Button } from "@patternfly/react-core";
import { useMutation, useQuery } from "@tanstack/react-query";
import {
	Dialog,
	ErrorState,
	Table,
	TableTools,
	Tbody,
	Td,
	Th,
	Thead,
	Time,
	Tr,
	toast,
	useErrorText,
	Waiting,
} from "@ui";
import { useTranslation } from "@ui/translation";

const useRevoke = (user: User) =>
	useMutation({
		mutationFn: (token: UserTokenView) => revokeUserToken({ path: { id: user.id, item: token.id } }),
		onSuccess: () => invalidate("user"),
	});

/** TokensDialog shows which programs act for a user, and ends them. */
export default function TokensDialog({ user, onClose }: { user: User; onClose: () => void }) {
	const { t } = useTranslation("users");
	const { data: tokens, error, refetch } = useQuery(listUserTokensOptions({ path: { id: user.id } }));
	return (
		<Dialog
			title={t("tokens.title")}
			description={t("tokens.text", { name: user.email })}
			size="medium"
			onClose={onClose}
			footer={<Button onClick={onClose}>{t("tokens.close")}</Button>}
		>
			{error && !tokens && <ErrorState error={error} retry={refetch} />}
			{!error && !tokens && <Waiting />}
			{tokens?.length === 0 && <p>{t("tokens.empty")}</p>}
			{tokens && tokens.length > 0 && <Tokens user={user} tokens={tokens} />}
		</Dialog>
	);
}

function Tokens({ user, tokens }: { user: User; tokens: UserTokenView[] }) {
	const { t } = useTranslation("users");
	const text = useErrorText();
	const { mutate: revoke, isPending } = useRevoke(user);
	const end = (token: UserTokenView) =>
		revoke(token, {
			onSuccess: () => toast.success(t("tokens.done", { name: token.name })),
			onError: (error) => toast.danger(text(error)),
		});
	return (
		<div className="gw-table">
			<TableTools name="tokens" rows={tokens} />
			<Table aria-label={t("tokens.title")}>
				<Thead>
					<Tr>
						<Th>{t("tokens.name")}</Th>
						<Th>{t("field.role")}</Th>
						<Th>{t("tokens.expires")}</Th>
						<Th>{t("tokens.used")}</Th>
						<Th screenReaderText={t("tokens.revoke")} />
					</Tr>
				</Thead>
				<Tbody>
					{tokens.map((token) => (
						<Tr key={token.id}>
							<Td>{token.name}</Td>
							<Td>{t(`option.role.${token.role}`)}</Td>
							<Td>
								<Time value={token.expires_at} />
							</Td>
							<Td>{token.last_used_at ? <Time value={token.last_used_at} /> : t("tokens.unused")}</Td>
							<Td>
								<Button
									variant="secondary"
									size="sm"
									isDanger
									isDisabled={isPending}
									aria-label={t("tokens.revokeOf", { name: token.name })}
									onClick={() => end(token)}
								>
									{t("tokens.revoke")}
								</Button>
							</Td>
						</Tr>
					))}
				</Tbody>
			</Table>
		</div>
	);
}
