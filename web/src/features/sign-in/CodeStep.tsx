import { ApiError, loginTotp, type SecondFactorBodyWritable, type UserIdentity, type UserLogin } from "@api";
import { zSecondFactorBodyWritable } from "@api/schemas";
import { Button } from "@patternfly/react-core";
import { type Field, SchemaForm } from "@ui";
import { useTranslation } from "@ui/translation";
import { useState } from "react";
import * as z from "zod/mini";

interface Props {
	token: string;
	onDone: (identity: UserIdentity) => void;
	onBack: () => void;
}

const byApp: Field[] = [{ name: "code", required: true, digits: true, autoComplete: "one-time-code", focus: true }];
const byRecovery: Field[] = [{ name: "recovery_code", required: true, focus: true }];
const schema = z.omit(zSecondFactorBodyWritable, { token: true });

/** CodeStep asks for the code of the authenticator, or one of the recovery codes. */
export function CodeStep({ token, onDone, onBack }: Props) {
	const { t } = useTranslation("sign-in");
	const [recovery, setRecovery] = useState(false);
	const submit = async (body: Omit<SecondFactorBodyWritable, "token">) => {
		try {
			return (await loginTotp({ body: { ...body, token } })).data;
		} catch (error) {
			if (error instanceof ApiError && error.status === 401) throw new ApiError(401, "wrong", t("wrongCode"));
			throw error;
		}
	};
	const next = ({ identity }: UserLogin) => identity && onDone(identity);
	return (
		<>
			<p>{recovery ? t("recoveryLead") : t("codeLead")}</p>
			<SchemaForm
				key={String(recovery)}
				schema={schema}
				ns="sign-in"
				fields={recovery ? byRecovery : byApp}
				submit={submit}
				onDone={next}
				submitLabel={t("submit")}
				guard={false}
				block
			/>
			<div className="gw-stack-links">
				<Button variant="link" isInline onClick={() => setRecovery(!recovery)}>
					{recovery ? t("useCode") : t("useRecovery")}
				</Button>
				<Button variant="link" isInline onClick={onBack}>
					{t("back")}
				</Button>
			</div>
		</>
	);
}
