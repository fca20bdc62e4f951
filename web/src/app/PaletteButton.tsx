import { Button } from "@patternfly/react-core";
import { SearchIcon } from "@patternfly/react-icons";
import { later } from "@ui/later";
import { useTranslation } from "@ui/translation";
import { Suspense, useEffect, useState } from "react";

const Palette = later("palette", () => import("./Palette"));
const mac = /Mac|iPhone|iPad/.test(navigator.userAgent);

/** PaletteButton opens the command palette; Ctrl-K and Cmd-K do so from everywhere. */
export function PaletteButton() {
	const { t } = useTranslation();
	const [open, setOpen] = useState(false);
	useEffect(() => {
		const pressed = (event: KeyboardEvent) => {
			if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey)
				return;
			event.preventDefault();
			setOpen((was) => !was);
		};
		window.addEventListener("keydown", pressed);
		return () => window.removeEventListener("keydown", pressed);
	}, []);
	return (
		<>
			<Button
				variant="plain"
				className="gw-palette-button"
				icon={<SearchIcon />}
				onClick={() => setOpen(true)}
				aria-label={t("palette.open")}
				aria-keyshortcuts="Control+K Meta+K"
			>
				<span className="gw-palette-words">{t("palette.open")}</span>
				<kbd>{mac ? "⌘ K" : "Ctrl K"}</kbd>
			</Button>
			<Suspense fallback={null}>{open && <Palette onClose={() => setOpen(false)} />}</Suspense>
		</>
	);
}
