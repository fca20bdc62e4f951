import { Title } from "@patternfly/react-core";
import { type ReactNode, useId } from "react";

interface Props {
	title: string;
	/** Stands beside the title. */
	status?: ReactNode;
	lead?: string;
	/** Button at the right of the title. */
	action?: ReactNode;
	children?: ReactNode;
}

/** Section is one subject of a tab. */
export function Section({ title, status, lead, action, children }: Props) {
	const id = useId();
	return (
		<section aria-labelledby={id} className="gw-panel gw-account-section">
			<div className="gw-account-head">
				<div>
					<div className="gw-account-title">
						<Title headingLevel="h2" size="lg" id={id}>
							{title}
						</Title>
						{status}
					</div>
					{lead && <p className="gw-page-lead">{lead}</p>}
				</div>
				{action}
			</div>
			{children}
		</section>
	);
}
