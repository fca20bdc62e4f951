import { useIdentity } from "@api";
import { Notice, Page, UrlTabs } from "@ui";
import { useTranslation } from "@ui/translation";
import { ProfileTab } from "./ProfileTab";
import { SecondFactorTab } from "./SecondFactorTab";
import { SessionsTab } from "./SessionsTab";
import { TokensTab } from "./TokensTab";
import { WhoAmI } from "./WhoAmI";
import "./account.css";

/** AccountPage is what people do with their own account. */
export default function AccountPage() {
	const { t } = useTranslation("account");
	const me = useIdentity();
	if (!me) return null;
	return (
		<Page title={t("title")} description={t("lead")}>
			{me.limited ? (
				<div className="gw-account">
					<Notice kind="warning" title={t("limited.title")}>
						{t("limited.text")}
					</Notice>
					<WhoAmI me={me} />
				</div>
			) : (
				<UrlTabs
					label={t("title")}
					tabs={[
						{ id: "profile", title: t("profile.tab"), content: <ProfileTab me={me} /> },
						{ id: "second-factor", title: t("factor.tab"), content: <SecondFactorTab me={me} /> },
						{ id: "sessions", title: t("sessions.tab"), content: <SessionsTab /> },
						{ id: "tokens", title: t("tokens.tab"), content: <TokensTab me={me} /> },
					]}
				/>
			)}
		</Page>
	);
}
