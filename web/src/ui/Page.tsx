import { Breadcrumb, BreadcrumbItem, Title } from "@patternfly/react-core";
import { type ReactNode, useEffect, useRef } from "react";
import { Link } from "./Link";
import { useTranslation } from "./translation";

interface Props {
	title: string;
	/** One sentence under the title. */
	description?: ReactNode;
	/** Buttons at the right of the title. */
	actions?: ReactNode;
	/** Pages above this one. */
	breadcrumbs?: { title: string; to: string; search?: Record<string, string> }[];
	children: ReactNode;
}

// The first page of a visit leaves the focus where the browser puts it.
let visited = false;

/** Page is the frame of every page: document title, heading (focused after a navigation), actions, content. */
export function Page({ title, description, actions, breadcrumbs = [], children }: Props) {
	const { t } = useTranslation("ui");
	const heading = useRef<HTMLHeadingElement>(null);
	useEffect(() => {
		document.title = `${title} · Gateway`;
	}, [title]);
	useEffect(() => {
		if (visited) heading.current?.focus({ preventScroll: true });
		visited = true;
	}, []);
	return (
		<div className="gw-page">
			<div className="gw-page-head">
				{breadcrumbs.length > 0 && (
					<Breadcrumb aria-label={t("breadcrumbs")}>
						{breadcrumbs.map((crumb) => (
							<BreadcrumbItem
								key={crumb.to}
								render={({ className }) => (
									<Link className={className} to={crumb.to} search={crumb.search}>
										{crumb.title}
									</Link>
								)}
							/>
						))}
						<BreadcrumbItem isActive>{title}</BreadcrumbItem>
					</Breadcrumb>
				)}
				<div className="gw-page-title">
					<div>
						<Title headingLevel="h1" size="2xl" tabIndex={-1} ref={heading}>
							{title}
						</Title>
						{description && <p className="gw-page-lead">{description}</p>}
					</div>
					{actions}
				</div>
			</div>
			{children}
		</div>
	);
}
