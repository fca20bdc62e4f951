import "./waiting.css";
import {
	type ChangeRecord,
	confirmChange,
	invalidate,
	listChangesOptions,
	queryClient,
	secondsLeft,
	steady,
	useCan,
	useComponents,
	useComponentsLive,
	useProblemsLive,
	type Waiting,
	waitingIn,
	waitingOf,
} from "@api";
import { HourglassHalfIcon } from "@patternfly/react-icons";
import { useMutation, useQuery } from "@tanstack/react-query";
import { BusyButton } from "@ui/BusyButton";
import { undo } from "@ui/change/outcome";
import { actorOf, subjectOf, titleOf } from "@ui/change/words";
import { useErrorText } from "@ui/errorText";
import { toast } from "@ui/toast";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";

/** WaitingBar stands above every page while a change waits to be confirmed: in every tab, and after a reload. */
export function WaitingBar() {
	useComponentsLive();
	useProblemsLive();
	const waiting = useWaiting();
	return <div role="status">{waiting && <Bar key={waiting.change} waiting={waiting} />}</div>;
}

function useWaiting(): Waiting | undefined {
	const { data, dataUpdatedAt, error } = useComponents();
	const told = waitingOf(data, dataUpdatedAt);
	const history = useQuery({
		...listChangesOptions({ query: { waiting: true } }),
		enabled: Boolean(error) && !data,
	});
	const before = useRef<Waiting | undefined>(undefined);
	before.current = steady(before.current, told ?? (data ? undefined : waitingIn(history.data)));
	return before.current;
}

function Bar({ waiting }: { waiting: Waiting }) {
	const { t } = useTranslation();
	const admin = useCan("admin");
	const text = useErrorText();
	const left = useSecondsLeft(waiting.until);
	const { data: changes } = useQuery(listChangesOptions({ query: { waiting: true } }));
	const what = changes?.find((one) => one.id === waiting.change);
	const words = (change: ChangeRecord) =>
		t("waiting.what", {
			what: [titleOf(change), subjectOf(change)].filter(Boolean).join(" "),
			actor: actorOf(change.actor),
		});
	const keep = useMutation({
		mutationFn: () => confirmChange({ path: { id: waiting.change } }),
		onSuccess: () => toast.success(t("waiting.kept")),
		onError: (error) => toast.danger(t("waiting.notKept"), { detail: text(error) }),
		onSettled: () => Promise.all([invalidate("change", "system"), queryClient.invalidateQueries()]),
	});
	const back = useMutation({ mutationFn: () => undo(waiting.change) });
	const busy = keep.isPending || back.isPending;
	return (
		<div className="gw-waiting">
			<HourglassHalfIcon aria-hidden="true" />
			<p>
				<strong>
					{left > 0 ? (
						<>
							{t("waiting.title")}{" "}
							<span role="timer" className="gw-waiting-left">
								{clock(left)}
							</span>
						</>
					) : (
						t("waiting.undoing")
					)}
				</strong>
				{what && (
					<span className="gw-waiting-what" title={words(what)}>
						{words(what)}
					</span>
				)}
			</p>
			{admin && left > 0 && (
				<div className="gw-waiting-buttons">
					<BusyButton size="sm" busy={keep.isPending} isDisabled={busy} onClick={() => keep.mutate()}>
						{t("waiting.keep")}
					</BusyButton>
					<BusyButton
						size="sm"
						variant="secondary"
						busy={back.isPending}
						isDisabled={busy}
						onClick={() => back.mutate()}
					>
						{t("waiting.undo")}
					</BusyButton>
				</div>
			)}
		</div>
	);
}

const clock = (seconds: number) => `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;

/** useSecondsLeft counts down, once a second. Hidden tabs are throttled, so it is computed and not counted. */
function useSecondsLeft(until: number): number {
	const [now, setNow] = useState(Date.now);
	useEffect(() => {
		const timer = setInterval(() => setNow(Date.now()), 250);
		return () => clearInterval(timer);
	}, []);
	return secondsLeft(until, now);
}
