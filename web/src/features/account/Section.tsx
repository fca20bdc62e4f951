import { Title } from "@patternfly/react-core";
import { type ReactNode, useId } from "react";

interface Props {
	title: string;
	lead?: string;
	/** Button at the right of the title. */
	action?: ReactNode;
	children?: ReactNode;
}

/** Section is one subject of a tab. */
export function Section({ title, lead, action, children }: Props) {
	const id = useId();
	return (
		<section aria-labelledby={id} className="gw-panel gw-account-section">
			<div className="gw-account-head">
				<div>
					<Title headingLevel="h2" size="lg" id={id}>
						{title}
					</Title>
					{lead && <p className="gw-page-lead">{lead}</p>}
				</div>
				{action}
			</div>
			{children}
		</section>
	);
}
