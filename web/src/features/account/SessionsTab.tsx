import type { UserSessionView } from "@api";
import { Button } from "@patternfly/react-core";
import { ConfirmDialog, ErrorState, StatusLabel, Time, toast, useErrorText, Waiting } from "@ui";
import { useTranslation } from "@ui/translation";
import { useState } from "react";
import { useEndSessions, useSessions } from "./requests";
import { Section } from "./Section";
import { useDeviceName } from "./useDeviceName";

/** SessionsTab lists where one is signed in, and ends what should not be. */
export function SessionsTab() {
	const { t } = useTranslation("account");
	const { data: sessions, error, refetch } = useSessions();
	const { mutateAsync: end } = useEndSessions();
	const [asking, ask] = useState(false);
	if (error && !sessions) return <ErrorState error={error} retry={refetch} />;
	if (!sessions) return <Waiting />;
	const others = sessions.filter((session) => !session.current).map((session) => session.id);
	const sorted = [...sessions].sort((a, b) => Number(b.current) - Number(a.current));
	const endOthers = () => end(others).then(() => toast.success(t("sessions.endedOthers")));
	const button = (
		<Button variant="secondary" onClick={() => ask(true)}>
			{t("sessions.endOthers")}
		</Button>
	);
	return (
		<div className="gw-account">
			<Section title={t("sessions.title")} lead={t("sessions.lead")} action={others.length > 0 && button}>
				<ul className="gw-account-list">
					{sorted.map((session) => (
						<SessionItem key={session.id} session={session} />
					))}
				</ul>
			</Section>
			{asking && (
				<ConfirmDialog
					title={t("sessions.endOthers")}
					confirm={t("sessions.endOthers")}
					danger
					onConfirm={endOthers}
					onClose={() => ask(false)}
				>
					{t("sessions.endOthersText", { count: others.length })}
				</ConfirmDialog>
			)}
		</div>
	);
}

function SessionItem({ session }: { session: UserSessionView }) {
	const { t } = useTranslation("account");
	const text = useErrorText();
	const { mutate: end, isPending } = useEndSessions();
	const device = useDeviceName()(session.user_agent);
	const tell = {
		onSuccess: () => toast.success(t("sessions.ended", { device })),
		onError: (error: unknown) => toast.danger(text(error)),
	};
	return (
		<li>
			<div>
				<p className="gw-account-name" title={session.user_agent}>
					{device} {session.current && <StatusLabel status="info">{t("sessions.current")}</StatusLabel>}
				</p>
				<p className="gw-account-facts">
					<span>{session.remote_ip}</span>
					<span>
						{t("sessions.seen")} <Time value={session.last_seen} />
					</span>
					<span>
						{t("sessions.since")} <Time value={session.created_at} />
					</span>
				</p>
			</div>
			{!session.current && (
				<Button
					variant="secondary"
					size="sm"
					isDisabled={isPending}
					aria-label={t("sessions.endOf", { device, ip: session.remote_ip })}
					onClick={() => end([session.id], tell)}
				>
					{t("sessions.end")}
				</Button>
			)}
		</li>
	);
}
