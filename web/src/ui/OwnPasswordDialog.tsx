import { wrongAt } from "@api";
import * as z from "zod/mini";
import { FormDialog } from "./FormDialog";
import type { Field } from "./fields";
import { useTranslation } from "./translation";

/** It has a name of its own: the form under it may have a password too. */
const field = "own_password";
const schema = z.object({ [field]: z.string().check(z.minLength(1)) });
const fields: Field[] = [{ name: field, kind: "password", autoComplete: "current-password", focus: true }];

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
			schema={schema}
			ns="ui"
			fields={fields}
			submit={(body: { [field]: string }) => wrongAt(field, t("password.wrong"), submit(body[field]))}
			submitLabel={button}
			guard={false}
		/>
	);
}
