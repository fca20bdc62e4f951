import { act, render, screen } from "@testing-library/react";
import i18next from "i18next";
import { expect, test } from "vitest";
import { useTranslation } from "./translation";

let drawn = 0;

function Word({ part }: { part?: string }) {
	const { t } = useTranslation("toy", part);
	drawn++;
	return <p>{t("word")}</p>;
}

test("words that come later are shown, and those of another language", async () => {
	render(
		<>
			<Word />
			<Word part="inner" />
		</>,
	);
	expect(screen.getAllByText(/word$/)).toHaveLength(2);
	act(() => void i18next.addResourceBundle("en", "toy", { word: "table", inner: { word: "drawer" } }));
	expect(screen.getByText("table")).toBeTruthy();
	expect(screen.getByText("drawer")).toBeTruthy();
	act(() => void i18next.addResourceBundle("de", "toy", { word: "Tisch", inner: { word: "Lade" } }));
	await act(() => i18next.changeLanguage("de"));
	expect(screen.getByText("Tisch")).toBeTruthy();
	expect(screen.getByText("Lade")).toBeTruthy();
	await act(() => i18next.changeLanguage("en"));
	expect(screen.getByText("table")).toBeTruthy();
	const before = drawn;
	render(<Word />);
	expect(drawn).toBe(before + 1); // whoever is there already has no reason to be drawn again
});
