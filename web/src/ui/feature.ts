import type { PageImport } from "@api";
import type { ComponentType } from "react";
import type { UrlState } from "./urlState";

/** Section of the navigation; app/sections.ts orders and titles them. */
export type SectionId = "overview" | "publish" | "network" | "security" | "monitor" | "system" | "access";

/** Translate is t bound to the feature's own messages. */
export type Translate = (key: string, values?: Record<string, unknown>) => string;

export interface FeatureRoute {
	/** TanStack Router path: "/users", "/users/$id". */
	path: string;
	titleKey: string;
	/** The page's own chunk; its default export is the page. */
	page: PageImport;
	/** Hidden from viewers, and answered with "not allowed" when opened anyway. */
	adminOnly?: boolean;
	/** Stands outside of the shell and needs no session: sign-in, setup. */
	bare?: boolean;
	/** Where an address of an older version leads now; undefined when it is still the page's. */
	moved?: (at: { params: Record<string, string>; search: UrlState }) => { to: string; search?: UrlState } | undefined;
}

/** NavItem is one entry of the navigation. */
export interface NavItem {
	section: SectionId;
	order: number;
	icon: ComponentType;
	titleKey: string;
	/** Path of its page; the feature's first route when left out. */
	to?: string;
}

/** PaletteEntry is one thing that the command palette finds. */
export interface PaletteEntry {
	id: string;
	title: string;
	/** Where it belongs, in a few grey words. */
	hint?: string;
	/** Path to go to, or what to do instead. */
	to?: string;
	run?: () => void;
}

export interface PaletteContext {
	/** What was typed so far, trimmed; "" at first. */
	query: string;
	admin: boolean;
	t: Translate;
	signal: AbortSignal;
}

/** Problem is something wrong right now, for the indicator in the masthead. */
export interface Problem {
	id: string;
	severity: "danger" | "warning" | "info";
	title: string;
	detail?: string;
	/** Page where it can be fixed. */
	to?: string;
	/** Since when, in the API's form. */
	since?: string;
	/** How many objects do not work because of it. */
	affects?: number;
}

/** DashboardCard is what a feature shows at a glance, for those who look whether all is well. */
export interface DashboardCard {
	/** Cards stand beside each other in this order. */
	order: number;
	card: ComponentType;
}

/** FirstStep is one thing to do on a new node; it ticks itself. */
export interface FirstStep {
	id: string;
	order: number;
	titleKey: string;
	/** Why, in one sentence. */
	textKey: string;
	/** Page where it is done. */
	to: string;
	/** Asks the server whether it is done. */
	done: (signal: AbortSignal) => Promise<boolean>;
}

/** DashboardPart is what a feature has on the dashboard. */
export interface DashboardPart {
	cards?: DashboardCard[];
	steps?: FirstStep[];
}

/** HistoryProps say whose history is shown. */
export interface HistoryProps {
	/** Name of the area: "dns". */
	area: string;
	/** One thing instead of the whole area: the name of an interface. */
	of?: string;
}

/**
 * Feature is what a folder below features/ exports as `feature` from index.ts. That
 * file is in the first load, so it imports its page only through import().
 */
export interface Feature {
	/** Folder name, and namespace of its messages. */
	id: string;
	/** Its entries in the navigation: one for each page that stands there. */
	nav?: NavItem | NavItem[];
	/** Its page is in the user menu instead of the navigation, in this order. */
	menu?: { order: number; titleKey: string };
	routes: FeatureRoute[];
	/** The service that its page is about, and the kind of object as which the server tells how it does its job. */
	service?: { name: string; kind: string };
	/** Loaded by the dashboard. */
	dashboard?: () => Promise<{ part: DashboardPart }>;
	/** Actions and objects for the command palette. Pages are found by themselves. */
	palette?: (context: PaletteContext) => PaletteEntry[] | Promise<PaletteEntry[]>;
	/**
	 * A hook: what only this browser, or only this account, has to know. It runs on every page while somebody is
	 * signed in. What is wrong with the node is found by the server.
	 */
	useProblems?: (t: Translate) => Problem[];
	/** A bar above every page while the server tells this problem: something waits to be confirmed that is no change. */
	waits?: { problem: string; bar: () => Promise<{ default: ComponentType }> };
	/** Charts of an area over time, or of one thing in it, for the pages of other features. One feature has it. */
	history?: () => Promise<{ default: ComponentType<HistoryProps> }>;
	/** Form that signs in; shown above an open page when its session ended. One feature has it. */
	signIn?: () => Promise<{ default: ComponentType<{ email?: string }> }>;
}
