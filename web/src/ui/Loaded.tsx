import { ApiError, useCurrent } from "@api";
import type { ReactNode } from "react";
import { ErrorState } from "./ErrorState";
import { useErrorText } from "./errorText";
import { Notice } from "./Notice";
import { useTranslation } from "./translation";
import { Waiting } from "./Waiting";

interface Props<T> {
	query: { data: T | undefined; error: unknown; refetch: () => unknown };
	/** About the height of what will be there. */
	height?: string;
	/** The answer is a new one also while the database is away. */
	withoutDatabase?: boolean;
	/** current is false while that may be over: nothing of it is shown as working then. */
	children: (data: T, current: boolean) => ReactNode;
}

/** Loaded shows what a query answered. When a later look fails, that stays, and it is said that it is not current. */
export function Loaded<T>({ query, height, withoutDatabase, children }: Props<T>) {
	const { data, error } = query;
	const current = useCurrent({ data, isError: Boolean(error) }, withoutDatabase) !== undefined;
	// What is switched off has no values any more.
	if (data !== undefined && codeOf(error) !== "switched_off")
		return (
			<>
				<Old error={error} />
				{children(data, current)}
			</>
		);
	if (error) return <ErrorState error={error} retry={() => void query.refetch()} />;
	return <Waiting height={height} />;
}

const codeOf = (error: unknown) => (error instanceof ApiError ? error.code : undefined);

/** Old says why there is nothing newer; that the server is away stands above every page already. */
function Old({ error }: { error: unknown }) {
	const { t } = useTranslation("ui");
	const text = useErrorText();
	if (!error || (error instanceof ApiError && error.away)) return null;
	return (
		<Notice kind="warning" title={t("notCurrent")}>
			{text(error)}
		</Notice>
	);
}
