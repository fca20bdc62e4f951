import { wrongAt } from "@api";
import { zOwnPasswordBody } from "@api/schemas";
import { useTranslation } from "react-i18next";
import { FormDialog } from "./FormDialog";
import type { Field } from "./fields";

const fields: Field[] = [{ name: "password", autoComplete: "current-password", focus: true }];

interface Props<Out> {
	title: string;
	description: string;
	/** What the button says. */
	button: string;
	/** Sends the password; one that is not right is said at its field. */
	submit: (password: string) => Promise<Out>;
	onDone: (out: Out) => void;
	onClose: () => void;
}

/** OwnPasswordDialog asks for one's own password once more, before what a stolen session must not do. It may lie over another one. */
export function OwnPasswordDialog<Out>({ button, submit, ...rest }: Props<Out>) {
	const { t } = useTranslation("ui");
	return (
		<FormDialog
			{...rest}
			id="password-form"
			schema={zOwnPasswordBody}
			ns="ui"
			fields={fields}
			submit={({ password }: { password: string }) => wrongAt("password", t("password.wrong"), submit(password))}
			submitLabel={button}
			guard={false}
		/>
	);
}
