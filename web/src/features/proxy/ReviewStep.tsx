import { ChangeBar } from "@ui";
import type { ComponentProps } from "react";
import { SummaryStep } from "./SummaryStep";

interface Props extends ComponentProps<typeof SummaryStep> {
	change: Omit<ComponentProps<typeof ChangeBar>, "component" | "risky">;
}

/** ReviewStep is all answers once more, and how they become a change. */
export default function ReviewStep({ change, ...answers }: Props) {
	return (
		<>
			<SummaryStep {...answers} />
			<ChangeBar component="proxy" risky={false} {...change} />
		</>
	);
}
