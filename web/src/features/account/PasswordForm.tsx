import { ApiError, type ChangePasswordRequest } from "@api";
import { zChangePasswordRequest } from "@api/schemas";
import { type Field, SchemaForm, toast } from "@ui";
import { useTranslation } from "@ui/translation";
import { useState } from "react";
import * as z from "zod/mini";
import { useChangePassword } from "./requests";

const schema = z.extend(zChangePasswordRequest, { repeat_password: z.string() });
const fields: Field[] = [
	{ name: "current_password", autoComplete: "current-password" },
	{ name: "new_password", strength: true },
	{ name: "repeat_password" },
];

/** PasswordForm changes one's own password. */
export function PasswordForm() {
	const { t } = useTranslation("account");
	const [round, setRound] = useState(0);
	const { mutateAsync: change } = useChangePassword(t("password.wrong"));
	const submit = ({ repeat_password, ...body }: ChangePasswordRequest & { repeat_password: string }) => {
		if (repeat_password === body.new_password) return change(body);
		const message = t("password.differ");
		throw new ApiError(422, "invalid", message, [{ field: "repeat_password", message }]);
	};
	const done = () => {
		toast.success(t("password.done"));
		setRound(round + 1);
	};
	return (
		<div className="gw-account-form">
			<SchemaForm
				key={round}
				schema={schema}
				ns="account"
				fields={fields}
				submit={async (body: ChangePasswordRequest & { repeat_password: string }) => submit(body)}
				onDone={done}
				submitLabel={t("password.submit")}
			/>
		</div>
	);
}
