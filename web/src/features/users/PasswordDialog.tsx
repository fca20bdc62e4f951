import { invalidate, type SetUserPasswordRequest, setUserPassword, type User } from "@api";
import { zSetUserPasswordRequest } from "@api/schemas";
import { useMutation } from "@tanstack/react-query";
import { type Field, FormDialog, toast } from "@ui";
import { useTranslation } from "@ui/translation";

const fields: Field[] = [{ name: "password", strength: true, focus: true }];

const useSetPassword = (user: User) =>
	useMutation({
		mutationFn: (body: SetUserPasswordRequest) => setUserPassword({ path: { id: user.id }, body }),
		onSuccess: () => invalidate("user"),
	});

/** PasswordDialog gives a user a new password, which ends all sessions of that user. */
export default function PasswordDialog({ user, onClose }: { user: User; onClose: () => void }) {
	const { t } = useTranslation("users");
	const { mutateAsync: setPassword } = useSetPassword(user);
	const done = () => {
		toast.success(t("password.done", { name: user.email }));
		onClose();
	};
	return (
		<FormDialog
			title={t("password.title")}
			description={t("password.text", { name: user.email })}
			schema={zSetUserPasswordRequest}
			ns="users"
			fields={fields}
			submit={setPassword}
			onDone={done}
			submitLabel={t("password.submit")}
			onClose={onClose}
		/>
	);
}
