import { zOwnPasswordBody } from "@api/schemas";
import { type Field, FormDialog, toast } from "@ui";
import { useTranslation } from "@ui/translation";
import { useDisableTotp } from "./requests";

const fields: Field[] = [{ name: "password", autoComplete: "current-password", focus: true }];

/** DisableDialog turns one's own second factor off, for whoever knows the password. */
export function DisableDialog({ onClose }: { onClose: () => void }) {
	const { t } = useTranslation("account");
	const { mutateAsync: disable } = useDisableTotp(t("password.wrong"));
	const done = () => {
		toast.success(t("factor.disabled"));
		onClose();
	};
	return (
		<FormDialog
			title={t("factor.disable")}
			description={t("factor.disableText")}
			schema={zOwnPasswordBody}
			ns="account"
			fields={fields}
			submit={disable}
			onDone={done}
			submitLabel={t("factor.disable")}
			onClose={onClose}
			guard={false}
		/>
	);
}
