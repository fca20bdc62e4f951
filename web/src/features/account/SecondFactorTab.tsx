import type { UserIdentity } from "@api";
import { Button } from "@patternfly/react-core";
import { StatusLabel, useUrlState } from "@ui";
import { useTranslation } from "@ui/translation";
import { DisableDialog } from "./DisableDialog";
import { Enrol } from "./Enrol";
import { EnrolDialog } from "./EnrolDialog";
import { RecoveryCodes } from "./RecoveryCodes";
import { useEnableTotp, useSetupTotp } from "./requests";
import { Section } from "./Section";

/** SecondFactorTab turns the second factor on and off. */
export function SecondFactorTab({ me }: { me: UserIdentity }) {
	const { t } = useTranslation("account");
	const [search, set] = useUrlState();
	const setup = useSetupTotp(t("password.wrong"));
	const enable = useEnableTotp(t("enrol.wrong"));
	const stored = () => {
		setup.reset();
		enable.reset();
	};
	const enrolling = setup.data && !me.totp_enabled && !enable.data;
	const status = <StatusLabel status="neutral">{t(me.totp_enabled ? "factor.on" : "factor.off")}</StatusLabel>;
	return (
		<div className="gw-account">
			<Section title={t("factor.title")} status={status} lead={t("factor.lead")}>
				{me.totp_enabled && <p>{t("factor.onText")}</p>}
				{enrolling && <Enrol enrolment={setup.data} enable={enable.mutateAsync} onCancel={setup.reset} />}
				{!enrolling && (
					<div>
						{me.totp_enabled ? (
							<Button variant="secondary" isDanger onClick={() => set({ do: "disable" }, { push: true })}>
								{t("factor.disable")}
							</Button>
						) : (
							<Button onClick={() => set({ do: "enrol" }, { push: true })}>{t("factor.enrol")}</Button>
						)}
					</div>
				)}
			</Section>
			{enable.data && <RecoveryCodes codes={enable.data.recovery_codes} email={me.email} onStored={stored} />}
			{!me.totp_enabled && !enrolling && search.do === "enrol" && (
				<EnrolDialog setup={setup.mutateAsync} onClose={() => set({ do: undefined })} />
			)}
			{me.totp_enabled && search.do === "disable" && <DisableDialog onClose={() => set({ do: undefined })} />}
		</div>
	);
}
