import "./service.css";
import type { ReactNode } from "react";

interface Props {
	label: string;
	/** What can be done about it, beside the facts. */
	actions?: ReactNode;
	/** The facts, as a description list. */
	children: ReactNode;
}

/** ServiceCard shows how a service stands, above its tabs. */
export function ServiceCard({ label, actions, children }: Props) {
	return (
		<section className="gw-panel gw-service-card" aria-label={label}>
			<div>{children}</div>
			{actions}
		</section>
	);
}
