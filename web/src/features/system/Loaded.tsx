import { Skeleton } from "@patternfly/react-core";
import { ErrorState } from "@ui";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";

interface Props<T> {
	query: { data: T | undefined; error: unknown; refetch: () => unknown };
	children: (data: T) => ReactNode;
}

/** Loaded shows what a query answered; what is known already stays when a later look fails. */
export function Loaded<T>({ query, children }: Props<T>) {
	const { t } = useTranslation("system");
	if (query.data !== undefined) return children(query.data);
	if (query.error) return <ErrorState error={query.error} retry={() => void query.refetch()} />;
	return <Skeleton height="16rem" screenreaderText={t("loading")} />;
}
