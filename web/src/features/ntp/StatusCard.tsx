import { ApiError, type NtpStatus, useCan, useCurrent } from "@api";
import {
	BusyButton,
	formatNumber,
	Notice,
	ServiceCard,
	StatusLabel,
	Time,
	toast,
	UnknownState,
	useErrorText,
	Waiting,
} from "@ui";
import { smallTime } from "@ui/smallTime";
import { useTranslation } from "@ui/translation";
import { useForceSync, useStatus } from "./requests";

/** StatusCard is how the clock stands. */
export function StatusCard() {
	const { t } = useTranslation("ntp");
	const text = useErrorText();
	const query = useStatus();
	const status = useCurrent(query);
	const off = isOff(query.error);
	const admin = useCan("admin");
	return (
		// A daemon that is not to run cannot set the clock.
		<ServiceCard label={t("status.title")} actions={admin && !off && <SyncButton />}>
			{status && <Facts status={status} />}
			{query.error && <Notice kind={off ? "info" : "warning"} title={text(query.error)} />}
			{/* The server is away, which stands above the page. */}
			{query.data && !status && !query.error && <UnknownState />}
			{!query.data && !query.error && <Waiting height="3rem" />}
		</ServiceCard>
	);
}

/** isOff says that the daemon does not answer because it is not to run. */
const isOff = (error: unknown) => error instanceof ApiError && error.code === "switched_off";

function Facts({ status }: { status: NtpStatus }) {
	const { t } = useTranslation("ntp");
	const { synchronised: good, offset } = status;
	const direction = offset > 0 ? "status.ahead" : offset < 0 ? "status.behind" : "status.exact";
	const time = smallTime(Math.abs(offset), formatNumber);
	return (
		<dl>
			<div>
				<dt>{t("status.title")}</dt>
				<dd>
					<StatusLabel status={good ? "success" : "warning"}>
						{t(good ? "status.synchronised" : "status.unsynchronised")}
					</StatusLabel>
				</dd>
			</div>
			<div>
				<dt>{t("status.offset")}</dt>
				<dd title={t(direction, { time })}>{good ? smallTime(offset, formatNumber) : "–"}</dd>
			</div>
			<div>
				<dt>{t("status.source")}</dt>
				<dd title={status.source_address}>{status.source || t("status.none")}</dd>
			</div>
			<div>
				<dt title={t("status.stratumHint")}>{t("status.stratum")}</dt>
				<dd>{status.stratum || "–"}</dd>
			</div>
			<div>
				<dt>{t("status.updated")}</dt>
				<dd>
					<Time value={status.last_update} />
				</dd>
			</div>
		</dl>
	);
}

function SyncButton() {
	const { t } = useTranslation("ntp");
	const text = useErrorText();
	const { mutate, isPending } = useForceSync();
	const sync = () =>
		mutate(undefined, {
			onSuccess: () => toast.success(t("sync.done")),
			onError: (error) => toast.danger(t("sync.failed"), { detail: text(error) }),
		});
	return (
		<BusyButton variant="secondary" busy={isPending} onClick={sync}>
			{t("sync.button")}
		</BusyButton>
	);
}
