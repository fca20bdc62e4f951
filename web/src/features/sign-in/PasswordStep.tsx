import { ApiError, type CredentialsBodyWritable, login, type UserIdentity, type UserLogin } from "@api";
import { zCredentialsBodyWritable } from "@api/schemas";
import { type Field, SchemaForm } from "@ui";
import { useTranslation } from "@ui/translation";

interface Props {
	/** Who was signed in before. */
	email?: string;
	onDone: (identity: UserIdentity) => void;
	onSecondFactor: (token: string) => void;
}

const fields: Field[] = [
	{ name: "email", autoComplete: "username" },
	{ name: "password", autoComplete: "current-password" },
];

/** PasswordStep is the first step of signing in, and for many accounts the only one. */
export function PasswordStep({ email, onDone, onSecondFactor }: Props) {
	const { t } = useTranslation("sign-in");
	const submit = async (body: CredentialsBodyWritable) => {
		try {
			return (await login({ body })).data;
		} catch (error) {
			const key = error instanceof ApiError && { 401: "wrong", 403: "disabled" }[error.status];
			throw key ? new ApiError(401, key, t(key)) : error;
		}
	};
	const next = (answer: UserLogin) => {
		if (answer.identity) onDone(answer.identity);
		else if (answer.token) onSecondFactor(answer.token);
	};
	return (
		<SchemaForm
			schema={zCredentialsBodyWritable}
			ns="sign-in"
			fields={fields}
			initial={{ email }}
			submit={submit}
			onDone={next}
			submitLabel={t("submit")}
			guard={false}
			block
		/>
	);
}
