import { Modal } from "@patternfly/react-core";
import { useRouter } from "@tanstack/react-router";
import type { PaletteEntry } from "@ui/feature";
import { useTranslation } from "@ui/translation";
import { type KeyboardEvent, useEffect, useState } from "react";
import { usePalette } from "./usePalette";

/** Palette goes to any page or object, or does an action, by typing a few letters of it. */
export default function Palette({ onClose }: { onClose: () => void }) {
	const { t } = useTranslation();
	const { history } = useRouter();
	const [typed, setTyped] = useState("");
	const [at, setAt] = useState(0);
	const entries = usePalette(typed.trim());
	const chosen = entries[Math.min(at, entries.length - 1)];
	useEffect(() => {
		document.getElementById(`palette-${at}`)?.scrollIntoView({ block: "nearest" });
	}, [at]);
	useEffect(() => {
		const outside = ({ target }: PointerEvent) => {
			if (!(target as Element).closest(".gw-palette")) onClose();
		};
		document.addEventListener("pointerdown", outside);
		return () => document.removeEventListener("pointerdown", outside);
	}, [onClose]);
	const take = (entry: PaletteEntry | undefined) => {
		if (!entry) return;
		onClose();
		entry.run?.();
		if (entry.to) history.push(entry.to);
	};
	const pressed = (event: KeyboardEvent) => {
		const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
		if (event.key === "Enter") take(chosen);
		else if (step) setAt((at + step + entries.length) % Math.max(1, entries.length));
		else return;
		event.preventDefault();
	};
	return (
		<Modal
			isOpen
			variant="small"
			position="top"
			aria-label={t("palette.open")}
			onEscapePress={onClose}
			className="gw-palette"
			elementToFocus="#palette-input"
		>
			<input
				id="palette-input"
				role="combobox"
				aria-expanded="true"
				aria-controls="palette-list"
				aria-activedescendant={chosen ? `palette-${entries.indexOf(chosen)}` : undefined}
				aria-label={t("palette.open")}
				placeholder={t("palette.placeholder")}
				autoComplete="off"
				spellCheck={false}
				value={typed}
				onChange={(event) => {
					setTyped(event.target.value);
					setAt(0);
				}}
				onKeyDown={pressed}
			/>
			<div id="palette-list" role="listbox" aria-label={t("palette.results")}>
				{entries.map((entry, index) => (
					// biome-ignore lint/a11y/useKeyWithClickEvents: the keyboard works through the input, as a combobox does
					<div
						key={entry.id}
						id={`palette-${index}`}
						role="option"
						tabIndex={-1}
						aria-selected={entry === chosen}
						onClick={() => take(entry)}
						onMouseMove={() => setAt(index)}
					>
						<span>{entry.title}</span>
						<small>{entry.hint ?? t("palette.page")}</small>
					</div>
				))}
			</div>
			{entries.length === 0 && <p className="gw-palette-none">{t("palette.none")}</p>}
		</Modal>
	);
}
