import { summariseCertificatesOptions } from "@api";
import { useQuery } from "@tanstack/react-query";
import type { Problem, Translate } from "@ui/feature";

/** useProblems looks from every page whether a certificate needs somebody, seldom enough to cost nothing. */
export function useProblems(t: Translate): Problem[] {
	const { data } = useQuery({ ...summariseCertificatesOptions(), refetchInterval: 60_000 });
	if (!data) return [];
	const kinds = [
		{ id: "expired", severity: "danger", count: data.expired },
		{ id: "errors", severity: "danger", count: data.errors },
		{ id: "expiring", severity: "warning", count: data.expiring },
	] as const;
	return kinds
		.filter(({ count }) => count > 0)
		.map(({ id, severity, count }) => ({ id, severity, title: t(`problem.${id}`, { count }), to: "/certificates" }));
}
