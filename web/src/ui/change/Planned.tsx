import type { Plan } from "@api";
import { Suspense } from "react";
import type { Input } from "../fields";
import { later } from "../later";

// Most forms are sent without a look at what they change, and differences of files weigh more than a form.
const PlanView = later("plan of a change", () => import("./PlanView"));

/** Planned shows what a change would do. */
export function Planned(props: { plan: Plan; ns?: string; inputs?: Input[] }) {
	return (
		<Suspense fallback={null}>
			<PlanView {...props} />
		</Suspense>
	);
}
