import { queryClient, setUp, useProblems } from "@api";
import { QueryClientProvider } from "@tanstack/react-query";
import { render, screen } from "@testing-library/react";
import { problemTitle } from "@ui/problemText";
import i18next from "i18next";
import { afterAll, beforeAll, expect, test } from "vitest";
import { answer, ok } from "../test/server";
import { features } from "./features";
import { pageWords, setLanguage, startLanguage } from "./language";

const whole = import.meta.glob<Record<string, unknown>>("../features/*/messages/*.json", {
	eager: true,
	import: "default",
});

beforeAll(async () => {
	setUp();
	await startLanguage();
	await setLanguage("de", false);
}, 60_000);
afterAll(() => setLanguage("en", false));

/** forget empties the store; other files of this worker may have opened pages too. */
function forget(...ids: string[]) {
	for (const language of ["de", "en"]) for (const id of ids) i18next.removeResourceBundle(language, id);
}

const page = (id: string) => features.find((feature) => feature.id === id)!.routes[0]!.page();
const lead = (language: string, id: string) => i18next.getResource(language, id, "lead") as string | undefined;

test("a page comes with its words, and no other's", async () => {
	forget("ntp", "radius");
	expect(lead("de", "ntp")).toBeUndefined();
	await page("ntp");
	expect(lead("de", "ntp")).toMatch(/Zeit/);
	expect(lead("de", "radius")).toBeUndefined();
});

test("a language that is chosen later has the words of the pages that were opened", async () => {
	await page("ntp");
	await setLanguage("en", false);
	expect(lead("en", "ntp")).toMatch(/time/i);
	await setLanguage("de", false);
});

test("a page that is opened while the language changes has its words in both", async () => {
	const changing = setLanguage("en", false);
	await Promise.all([changing, page("radius")]);
	expect(lead("en", "radius")).toBeTruthy();
	await setLanguage("de", false);
	expect(lead("de", "radius")).toBeTruthy();
});

const listed = [{ code: "ntp.no_sources", message: "no time source", severity: "error", params: {}, affects_total: 0 }];

function Titles({ seen }: { seen: string[] }) {
	const { data } = useProblems();
	const titles = data?.problems.map(problemTitle) ?? [];
	seen.push(...titles);
	return <p>{titles.join()}</p>;
}

test("a problem is shown in the reader's words from the first moment", async () => {
	const list = { counts: {}, unknown: [], version: "1", problems: listed.map((one) => ({ ...one, subject: {} })) };
	answer({ "GET /problems": () => ok(list) });
	const seen: string[] = [];
	render(
		<QueryClientProvider client={queryClient}>
			<Titles seen={seen} />
		</QueryClientProvider>,
	);
	expect(await screen.findByText(/Zeitquelle|Zeitserver/)).toBeTruthy();
	expect(new Set(seen).size).toBe(1);
});

test.each(["de", "en"] as const)(
	"all words of all features come with the texts and the pages, in %s",
	async (language) => {
		await setLanguage(language, false);
		for (const { id } of features) {
			await pageWords(id);
			const path = `../features/${id}/messages/${language}.json`;
			const { texts, problems, check, ...words } = whole[path]!;
			expect(i18next.getResourceBundle(language, id), path).toMatchObject(words);
		}
	},
);
