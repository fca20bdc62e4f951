import type { CodeInputBody, UserEnabled, UserEnrolment } from "@api";
import { zCodeInputBody } from "@api/schemas";
import { CopyButton, type Field, SchemaForm } from "@ui";
import { useTranslation } from "@ui/translation";

interface Props {
	enrolment: UserEnrolment;
	enable: (body: CodeInputBody) => Promise<UserEnabled>;
	onCancel: () => void;
}

const fields: Field[] = [{ name: "code", digits: true, autoComplete: "one-time-code", focus: true, narrow: true }];

/** Enrol gives an authenticator app the secret and asks for its first code. */
export function Enrol({ enrolment, enable, onCancel }: Props) {
	const { t } = useTranslation("account");
	const secret = enrolment.secret.match(/.{1,4}/g)?.join(" ");
	return (
		<ol className="gw-enrol">
			<li>
				<h3>{t("enrol.scan")}</h3>
				<p>{t("enrol.scanText")}</p>
				<div className="gw-enrol-codes">
					<img className="gw-enrol-qr" src={enrolment.qr} alt={t("enrol.qr")} />
					<div>
						<p>{t("enrol.noCamera")}</p>
						<p className="gw-enrol-secret">
							<code>{secret}</code>
							<CopyButton text={enrolment.secret} label={t("enrol.copy")} />
						</p>
					</div>
				</div>
			</li>
			<li>
				<h3>{t("enrol.prove")}</h3>
				<SchemaForm
					schema={zCodeInputBody}
					ns="account"
					fields={fields}
					submit={enable}
					submitLabel={t("enrol.submit")}
					onCancel={onCancel}
					guard={false}
				/>
			</li>
		</ol>
	);
}
