import {
	CheckCircleIcon,
	ExclamationCircleIcon,
	ExclamationTriangleIcon,
	InfoCircleIcon,
} from "@patternfly/react-icons";
import type { ReactNode } from "react";

export type Status = "success" | "danger" | "warning" | "info" | "neutral";

const icons = {
	success: CheckCircleIcon,
	danger: ExclamationCircleIcon,
	warning: ExclamationTriangleIcon,
	info: InfoCircleIcon,
	neutral: undefined,
};

/**
 * StatusLabel is a word with a colour and an icon, so that the colour never stands alone. It is
 * ours and not PatternFly's Label, which measures itself: a table has hundreds of them.
 */
export function StatusLabel({ status, children }: { status: Status; children: ReactNode }) {
	const Icon = icons[status];
	return (
		<span className="gw-status" data-status={status}>
			{Icon && <Icon aria-hidden="true" />}
			{children}
		</span>
	);
}
