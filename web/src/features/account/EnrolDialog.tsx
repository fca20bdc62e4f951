import type { OwnPasswordBody } from "@api";
import { zOwnPasswordBody } from "@api/schemas";
import { type Field, FormDialog } from "@ui";
import { useTranslation } from "@ui/translation";

const fields: Field[] = [{ name: "password", autoComplete: "current-password", focus: true }];

/** EnrolDialog asks for the password first: nobody else at this screen may lock the owner out. */
export function EnrolDialog(props: { setup: (body: OwnPasswordBody) => Promise<unknown>; onClose: () => void }) {
	const { t } = useTranslation("account");
	return (
		<FormDialog
			title={t("factor.enrol")}
			description={t("factor.enrolText")}
			schema={zOwnPasswordBody}
			ns="account"
			fields={fields}
			submit={props.setup}
			onDone={props.onClose}
			submitLabel={t("factor.enrolSubmit")}
			onClose={props.onClose}
			guard={false}
		/>
	);
}
