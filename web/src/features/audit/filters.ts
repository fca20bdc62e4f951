import { fromLocal, toLocal } from "@ui/moment";
import type { UrlState } from "@ui/urlState";

/** filterKeys are the search parameters, in the URL and in the question to the server. */
export const filterKeys = ["actor", "action", "subject", "since", "until"] as const;
export type FilterKey = (typeof filterKeys)[number];

/** Filters are what the server is asked; moments are RFC 3339 in UTC, so that a link means the same everywhere. */
export type Filters = Partial<Record<FilterKey, string>>;

/** Draft is what stands in the inputs; moments are in the browser's zone. */
export type Draft = Record<FilterKey, string>;

/** The server looks for subjects by an index that needs three characters. */
export const subjectLength = 3;

const longest: Partial<Record<FilterKey, number>> = { actor: 254, action: 100, subject: 254 };

const isMoment = (key: FilterKey) => key === "since" || key === "until";

/** tooShort is true for a subject that the server would refuse. */
export const tooShort = (subject: string) => subject.trim() !== "" && subject.trim().length < subjectLength;

/** reversed is true when the end lies before the beginning. */
export const reversed = ({ since, until }: Pick<Draft, "since" | "until">) =>
	since !== "" && until !== "" && new Date(since) > new Date(until);

/** readFilters takes from the URL what the server would accept. */
export function readFilters(search: UrlState): Filters {
	const filters: Filters = {};
	for (const key of filterKeys) {
		const text = String(search[key] ?? "").trim();
		if (text === "" || (key === "subject" && tooShort(text))) continue;
		const value = isMoment(key) ? fromLocal(text) : text.slice(0, longest[key]);
		if (value) filters[key] = value;
	}
	return filters;
}

/** draftOf is what the inputs show for filters. */
export function draftOf(filters: Filters): Draft {
	const { actor = "", action = "", subject = "", since, until } = filters;
	return { actor, action, subject, since: toLocal(since), until: toLocal(until) };
}

/** filtersOf is what a draft asks for; what cannot be asked is left out. */
export const filtersOf = (draft: Draft): Filters => readFilters(draft);

/** urlOf is the change to the URL: every filter, so that empty ones leave it. */
export const urlOf = (filters: Filters): UrlState =>
	Object.fromEntries(filterKeys.map((key) => [key, filters[key]] as const));

/** same compares two sets of filters. */
export const same = (a: Filters, b: Filters) => filterKeys.every((key) => a[key] === b[key]);

export const isFiltered = (filters: Filters) => filterKeys.some((key) => filters[key] !== undefined);
