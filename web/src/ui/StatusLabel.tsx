import { Label } from "@patternfly/react-core";
import type { ReactNode } from "react";

export type Status = "success" | "danger" | "warning" | "info" | "neutral";

/** StatusLabel is a word with a colour and an icon, so that the colour never stands alone. */
export function StatusLabel({ status, children }: { status: Status; children: ReactNode }) {
	if (status === "neutral") {
		return (
			<Label isCompact variant="outline" color="grey">
				{children}
			</Label>
		);
	}
	return (
		<Label isCompact status={status} variant="outline">
			{children}
		</Label>
	);
}
