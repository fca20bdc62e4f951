import { type AlertEvent, type ChangeRecord, listAlertEventsOptions, listChangesOptions, useCan } from "@api";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { problemTitle, subjectOf, titleOf } from "@ui";
import type { Mark } from "@ui/LiveChart";
import { useMemo } from "react";
import { iso, type Span } from "./span";

/** The latest so many of each are marked. */
const most = 500;

const seconds = (moment: string) => Date.parse(moment) / 1_000;

const two = (n: number) => String(n).padStart(2, "0");

/** dayOf is the day of a moment here, as the list of changes has it in its address. */
function dayOf(moment: string): string {
	const at = new Date(moment);
	return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
}

/** markOfChange leads to the change; who may not open one, to the list of that day. */
export function markOfChange(change: ChangeRecord, admin: boolean): Mark {
	const day = dayOf(change.created_at);
	return {
		at: seconds(change.created_at),
		kind: "change",
		label: [titleOf(change), subjectOf(change)].filter(Boolean).join(" "),
		...(admin ? { to: `/changes/${change.id}` } : { to: "/changes", search: { from: day, to: day } }),
	};
}

const kinds = { firing: "fired", resolved: "resolved", notice: "notice" } as const;

/** isNews says whether an event is a beginning, an end or a notice: a reminder is nothing that happened. */
export const isNews = ({ id, first_id, state }: AlertEvent): boolean => state !== "firing" || id === first_id;

/** markOfAlert leads to the alerts of that second. */
export function markOfAlert(event: AlertEvent): Mark {
	const at = Math.floor(seconds(event.fired_at));
	const subject = { kind: event.subject_kind, id: event.subject_id, name: event.subject };
	return {
		at: seconds(event.fired_at),
		kind: kinds[event.state],
		label: problemTitle({ ...event, subject }),
		to: "/alerts",
		search: { since: iso(at), until: iso(at + 1) },
	};
}

/**
 * useMarks are the changes of the configuration and the alerts of a time, the oldest first. Without a database there
 * are none, and the charts go on.
 */
export function useMarks({ since, until }: Span): Mark[] {
	const admin = useCan("admin");
	const query = { since: iso(since), until: iso(until), limit: most };
	const changes = useQuery({ ...listChangesOptions({ query }), placeholderData: keepPreviousData }).data;
	const alerts = useQuery({ ...listAlertEventsOptions({ query }), placeholderData: keepPreviousData }).data;
	return useMemo(
		() =>
			[
				...(changes ?? []).map((change) => markOfChange(change, admin)),
				...(alerts ?? []).filter(isNews).map(markOfAlert),
			].sort((a, b) => a.at - b.at),
		[changes, alerts, admin],
	);
}
