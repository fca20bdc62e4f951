import { useCan } from "@api";
import { later, useUrlState } from "@ui";
import { Suspense } from "react";

const ExplainDialog = later("explain a packet", () => import("./ExplainDialog"));

/** Explained shows why a packet is accepted or dropped while the address names one: ?explain=… */
export function Explained() {
	const admin = useCan("admin");
	const [search, set] = useUrlState();
	if (!admin || !search.explain) return null;
	return (
		<Suspense fallback={null}>
			<ExplainDialog packet={search.explain} onClose={() => set({ explain: undefined })} />
		</Suspense>
	);
}
