import {
	EmptyStateActions,
	EmptyStateBody,
	EmptyStateFooter,
	EmptyState as PFEmptyState,
} from "@patternfly/react-core";
import type { ComponentType, ReactNode } from "react";

interface Props {
	title: string;
	/** Says what to do next. */
	children?: ReactNode;
	icon?: ComponentType;
	/** The button that does it. */
	action?: ReactNode;
}

/** EmptyState stands where a list would be, and says what to do next. */
export function EmptyState({ title, children, icon, action }: Props) {
	return (
		<PFEmptyState titleText={title} headingLevel="h2" icon={icon} variant="sm">
			{children && <EmptyStateBody>{children}</EmptyStateBody>}
			{action && (
				<EmptyStateFooter>
					<EmptyStateActions>{action}</EmptyStateActions>
				</EmptyStateFooter>
			)}
		</PFEmptyState>
	);
}
