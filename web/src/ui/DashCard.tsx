import "./card.css";
import { Card, CardBody, CardHeader, CardTitle } from "@patternfly/react-core";
import type { ReactNode } from "react";
import { Link } from "./Link";

interface Props {
	title: string;
	/** Where there is more, and what that is called. */
	to?: string;
	more?: string;
	/** A few grey words beside the title. */
	hint?: ReactNode;
	children: ReactNode;
}

/** DashCard is a card of the dashboard: its title, where there is more, and what is to be seen. */
export function DashCard({ title, to, more, hint, children }: Props) {
	return (
		<Card isCompact>
			<CardHeader className="gw-card-head">
				<CardTitle component="h2">{title}</CardTitle>
				{hint && <span className="gw-subtle">{hint}</span>}
				{to && <Link to={to}>{more}</Link>}
			</CardHeader>
			<CardBody>{children}</CardBody>
		</Card>
	);
}
