import { Title } from "@patternfly/react-core";
import { type ReactNode, useEffect } from "react";

interface Props {
	title: string;
	lead?: ReactNode;
	/** For a wizard; a form alone is better narrow. */
	wide?: boolean;
	/** Stands under the card: other ways to go. */
	footer?: ReactNode;
	children: ReactNode;
}

/** BarePage is the one card of a page outside of the shell: sign-in, setup. */
export function BarePage({ title, lead, wide = false, footer, children }: Props) {
	useEffect(() => {
		document.title = `${title} · Gateway`;
	}, [title]);
	return (
		<div className={wide ? "gw-bare-page gw-bare-wide" : "gw-bare-page"}>
			<div className="gw-bare-card">
				<Title headingLevel="h1" size="2xl">
					{title}
				</Title>
				{lead && <p className="gw-page-lead">{lead}</p>}
				<div className="gw-bare-content">{children}</div>
			</div>
			{footer && <div className="gw-bare-footer">{footer}</div>}
		</div>
	);
}
