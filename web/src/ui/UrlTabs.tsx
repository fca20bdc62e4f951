import { Tab, TabContent, Tabs, TabTitleText } from "@patternfly/react-core";
import type { ReactNode } from "react";
import { useUrlState } from "./urlState";

interface Props {
	/** Name of the whole set, for screen readers. */
	label: string;
	tabs: { id: string; title: string; content: ReactNode }[];
}

/** UrlTabs shows one of several contents; which one is in the URL (?tab=…). */
export function UrlTabs({ label, tabs }: Props) {
	const [search, set] = useUrlState();
	const open = tabs.find((tab) => tab.id === search.tab) ?? tabs[0];
	if (!open) return null;
	return (
		<>
			<Tabs
				activeKey={open.id}
				aria-label={label}
				onSelect={(_, key) => set({ tab: key === tabs[0]?.id ? undefined : String(key) })}
			>
				{tabs.map((tab) => (
					<Tab
						key={tab.id}
						eventKey={tab.id}
						tabContentId={`tab-${tab.id}`}
						title={<TabTitleText>{tab.title}</TabTitleText>}
					/>
				))}
			</Tabs>
			<TabContent id={`tab-${open.id}`} activeKey={open.id} eventKey={open.id} className="gw-tab">
				{open.content}
			</TabContent>
		</>
	);
}
