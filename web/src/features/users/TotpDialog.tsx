import { disableUserTotp, invalidate, type User } from "@api";
import { useMutation } from "@tanstack/react-query";
import { ConfirmDialog, toast } from "@ui";
import { useTranslation } from "@ui/translation";

const useDisableTotp = (user: User) =>
	useMutation({
		mutationFn: () => disableUserTotp({ path: { id: user.id } }),
		onSuccess: () => invalidate("user"),
	});

/** TotpDialog turns a user's second factor off, for somebody who lost their phone. */
export default function TotpDialog({ user, onClose }: { user: User; onClose: () => void }) {
	const { t } = useTranslation("users");
	const { mutateAsync: disable } = useDisableTotp(user);
	const confirm = () => disable().then(() => toast.success(t("totp.done", { name: user.email })));
	return (
		<ConfirmDialog title={t("totp.title")} confirm={t("totp.submit")} danger onConfirm={confirm} onClose={onClose}>
			{t("totp.text", { name: user.email })}
		</ConfirmDialog>
	);
}
