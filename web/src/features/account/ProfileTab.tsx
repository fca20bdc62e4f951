import type { UserIdentity } from "@api";
import { useTranslation } from "@ui/translation";
import { PasswordForm } from "./PasswordForm";
import { Section } from "./Section";
import { WhoAmI } from "./WhoAmI";

/** ProfileTab says who one is, and changes the password. */
export function ProfileTab({ me }: { me: UserIdentity }) {
	const { t } = useTranslation("account");
	return (
		<div className="gw-account">
			<Section title={t("profile.title")}>
				<WhoAmI me={me} />
			</Section>
			<Section title={t("password.title")} lead={t("password.lead")}>
				<PasswordForm />
			</Section>
		</div>
	);
}
