import { Suspense, useState } from "react";
import type { HistoryProps } from "./feature";
import { useFeatures } from "./features";
import { later } from "./later";
import { Waiting } from "./Waiting";

/** AreaHistory is how an area was over time. It comes after the page that it stands on. */
export function AreaHistory(props: HistoryProps) {
	const load = useFeatures().find((feature) => feature.history)?.history;
	const [Charts] = useState(() => load && later("history", load));
	if (!Charts) return null;
	return (
		<Suspense fallback={<Waiting height="12rem" />}>
			<Charts {...props} />
		</Suspense>
	);
}
