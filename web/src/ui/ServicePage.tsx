import { type ReactNode, Suspense } from "react";
import { OffNotice } from "./OffNotice";
import { Page } from "./Page";
import { ProblemNotice } from "./ProblemNotice";
import { UrlTabs } from "./UrlTabs";
import { Waiting } from "./Waiting";
import { useWords } from "./words";

interface Props {
	/** Name of the component, and of the namespace of its messages, with "title", "lead" and, per tab, "tab.*". */
	id: string;
	/** Name of the service and of its page, where they are called otherwise. */
	service?: string;
	/** How the service is doing, above the tabs. */
	status?: ReactNode;
	/** By their ids, in their order. One is "settings", which has the switch; load it with later(): most visits only look. */
	tabs: Record<string, ReactNode> & { settings: ReactNode };
}

/** ServicePage is the page of a service that can be switched off: what is wrong with it, that it is off, and its tabs. */
export function ServicePage({ id, service = id, status, tabs }: Props) {
	const { t } = useWords(id);
	const shown = Object.entries(tabs).map(([tab, content]) => ({
		id: tab,
		title: t(`tab.${tab}`),
		content: <Suspense fallback={<Waiting height="24rem" />}>{content}</Suspense>,
	}));
	return (
		<Page title={t("title")} description={t("lead")}>
			<ProblemNotice service={service} component={id} />
			<OffNotice id={service} settings={`/${service}?tab=settings`} />
			{status}
			<UrlTabs label={t("title")} tabs={shown} />
		</Page>
	);
}
