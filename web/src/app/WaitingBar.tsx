import {
	type ChangeRecord,
	confirmChange,
	invalidate,
	listChangesOptions,
	queryClient,
	steady,
	useCan,
	useComponents,
	useComponentsLive,
	useProblems,
	useProblemsLive,
	type Waiting,
	waitingIn,
	waitingOf,
} from "@api";
import { useMutation, useQuery } from "@tanstack/react-query";
import { ConfirmBar } from "@ui/ConfirmBar";
import { tellUnconfirmed, undo } from "@ui/change/outcome";
import { actorOf, subjectOf, titleOf } from "@ui/change/words";
import { useErrorText } from "@ui/errorText";
import type { Feature } from "@ui/feature";
import { useFeatures } from "@ui/features";
import { later } from "@ui/later";
import { toast } from "@ui/toast";
import { useTranslation } from "@ui/translation";
import { Suspense, useEffect, useRef, useState } from "react";

/** WaitingBar stands above every page while something waits to be confirmed: in every tab, and after a reload. */
export function WaitingBar() {
	useComponentsLive();
	useProblemsLive();
	const waiting = useWaiting();
	const { data } = useProblems();
	const told = useFeatures().filter(({ waits }) => data?.problems.some(({ code }) => code === waits?.problem));
	return (
		<div role="status">
			{waiting && <Bar key={waiting.change} waiting={waiting} />}
			{told.map((feature) => (
				<Own key={feature.id} feature={feature} />
			))}
		</div>
	);
}

/** Own is the bar of a feature, for what is no change. */
function Own({ feature: { id, waits } }: { feature: Feature }) {
	const [Told] = useState(() => waits && later(`bar of ${id}`, waits.bar));
	return <Suspense fallback={null}>{Told && <Told />}</Suspense>;
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
	const ways = {
		keep: { label: t("waiting.keep"), busy: keep.isPending, go: () => keep.mutate() },
		back: { label: t("waiting.undo"), busy: back.isPending, go: () => back.mutate() },
	};
	useEndOf(waiting.change, what && words(what));
	return (
		<ConfirmBar
			title={t("waiting.title")}
			over={t("waiting.undoing")}
			until={waiting.until}
			what={what && words(what)}
			ways={admin ? ways : undefined}
		/>
	);
}

/**
 * useEndOf tells when the bar goes since the time is over: whoever looked away would find their change gone, and not know
 * why. Whether it is over is asked: by this browser's countdown, which a slow answer puts off, it may not be yet.
 */
function useEndOf(change: string, what: string | undefined) {
	const told = useRef(what);
	told.current = what ?? told.current;
	useEffect(() => () => void tellUnconfirmed(change, told.current), [change]);
}
