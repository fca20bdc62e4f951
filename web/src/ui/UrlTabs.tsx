import "./tabs.css";
import { type KeyboardEvent, type ReactNode, useId, useRef } from "react";
import { useUrlState } from "./urlState";

interface Props {
	/** Name of the whole set, for screen readers. */
	label: string;
	tabs: { id: string; title: string; content: ReactNode }[];
	/** The one that is open when the URL names none; the first unless said otherwise. */
	first?: string;
	/** Its parameter in the URL, "tab" unless said otherwise: tabs inside of a tab have another. */
	param?: string;
}

/** mostTabs a page has: more do not fit on a line, and nobody remembers what is behind them. */
export const mostTabs = 6;

/** next is where a key leads from the tab at that place, or undefined for any other key. */
function next(key: string, at: number, count: number): number | undefined {
	const places: Record<string, number> = {
		ArrowRight: (at + 1) % count,
		ArrowLeft: (at - 1 + count) % count,
		Home: 0,
		End: count - 1,
	};
	return places[key];
}

/**
 * UrlTabs shows one of several contents; which one is in the URL (?tab=…). PatternFly's tabs bring
 * 13 kB, most of it for what we do not use.
 */
export function UrlTabs({ label, tabs, first = tabs[0]?.id, param = "tab" }: Props) {
	// In a build it would be too late to say so.
	if (import.meta.env.DEV && tabs.length > mostTabs)
		throw new Error(`${label}: a page of ${tabs.length} tabs is two pages`);
	const [search, set] = useUrlState();
	const id = useId();
	const list = useRef<HTMLDivElement>(null);
	const at = Math.max(
		0,
		tabs.findIndex((tab) => tab.id === (search[param] ?? first)),
	);
	const open = (place: number) => {
		// What the address said about the tab before (its search, its sort) means nothing to another.
		const others = Object.keys(search).filter((key) => key !== "tab");
		const none = Object.fromEntries(others.map((key) => [key, undefined]));
		set({ ...none, [param]: tabs[place]?.id === first ? undefined : tabs[place]?.id });
	};
	const pressed = (event: KeyboardEvent) => {
		const place = next(event.key, at, tabs.length);
		if (place === undefined) return;
		event.preventDefault();
		open(place);
		(list.current?.children[place] as HTMLElement | undefined)?.focus();
	};
	return (
		<>
			<div
				ref={list}
				role="tablist"
				aria-label={label}
				className={param === "tab" ? "gw-tabs" : "gw-tabs gw-tabs-inner"}
				onKeyDown={pressed}
			>
				{tabs.map((tab, place) => (
					<button
						key={tab.id}
						type="button"
						role="tab"
						id={`${id}${tab.id}`}
						aria-selected={place === at}
						aria-controls={place === at ? `${id}panel` : undefined}
						tabIndex={place === at ? 0 : -1}
						onClick={() => open(place)}
					>
						{tab.title}
					</button>
				))}
			</div>
			<div role="tabpanel" id={`${id}panel`} aria-labelledby={`${id}${tabs[at]?.id}`} className="gw-tab">
				{tabs[at]?.content}
			</div>
		</>
	);
}
