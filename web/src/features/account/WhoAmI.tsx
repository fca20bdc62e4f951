import type { UserIdentity } from "@api";
import { PropertyList } from "@ui";
import { useTranslation } from "@ui/translation";

/** WhoAmI is the account as it is known to the gateway. */
export function WhoAmI({ me }: { me: UserIdentity }) {
	const { t } = useTranslation("account");
	return (
		<PropertyList
			items={[
				[t("profile.email"), me.email],
				[t("profile.role"), `${t(`option.role.${me.role}`)}: ${t(`profile.may.${me.role}`)}`],
			]}
		/>
	);
}
