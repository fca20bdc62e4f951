import { type ResetPasswordRequest, resetPassword } from "@api";
import { zResetPasswordRequest } from "@api/schemas";
import { useNavigate } from "@tanstack/react-router";
import { BarePage, Command, type Field, Link, SchemaForm, toast, useUrlState } from "@ui";
import { useTranslation } from "@ui/translation";

const fields: Field[] = [{ name: "token" }, { name: "new_password", strength: true }];

const command = "gateway-ctl reset-password";

/** ResetPage sets the administrator's password with a token that only somebody on the node can make. */
export default function ResetPage() {
	const { t } = useTranslation("sign-in");
	const navigate = useNavigate();
	const [search] = useUrlState();
	const done = () => {
		toast.success(t("reset.done"));
		void navigate({ to: "/sign-in" });
	};
	return (
		<BarePage title={t("reset.title")} lead={t("reset.lead")} footer={<Link to="/sign-in">{t("back")}</Link>}>
			<p>{t("reset.how")}</p>
			<Command>{command}</Command>
			<SchemaForm
				schema={zResetPasswordRequest}
				ns="sign-in"
				fields={fields}
				initial={{ token: search.token }}
				submit={(body: ResetPasswordRequest) => resetPassword({ body })}
				onDone={done}
				submitLabel={t("reset.submit")}
				guard={false}
				block
			/>
		</BarePage>
	);
}
