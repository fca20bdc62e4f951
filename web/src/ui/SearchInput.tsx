import "./search.css";
import { TextInput } from "@patternfly/react-core";
import { SearchIcon } from "@patternfly/react-icons";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { type ComponentProps, type KeyboardEvent, useEffect, useState } from "react";
import type { Choice, ChoiceSource } from "./fields";
import { useTranslation } from "./translation";

interface Props extends Omit<ComponentProps<typeof TextInput>, "onChange" | "value"> {
	id: string;
	label: string;
	source: ChoiceSource;
	/** What is chosen; "" for nothing. */
	value: string;
	onChange: (value: string) => void;
}

const pause = 200;

/** usePaused is a text as it was when typing last paused. */
export function usePaused(text: string): string {
	const [paused, setPaused] = useState(text);
	useEffect(() => {
		const timer = setTimeout(() => setPaused(text), pause);
		return () => clearTimeout(timer);
	}, [text]);
	return paused;
}

/** next is where a key leads in a list of that many, or undefined for any other key. */
export function next(key: string, at: number, count: number): number | undefined {
	if (count === 0) return undefined;
	if (key === "ArrowDown") return (at + 1) % count;
	return key === "ArrowUp" ? (Math.max(at, 0) - 1 + count) % count : undefined;
}

/** useFound is what the server has for a text, and what people call the one that is chosen. */
function useFound(source: ChoiceSource, text: string, value: string, open: boolean) {
	const paused = usePaused(text);
	const found = useQuery({
		queryKey: [{ _id: `${source.key} find`, tags: [source.tag], text: paused }],
		queryFn: ({ signal }) => source.find(paused, signal),
		enabled: open,
		placeholderData: keepPreviousData,
	});
	const chosen = useQuery({
		queryKey: [{ _id: `${source.key} name`, tags: [source.tag], value }],
		queryFn: ({ signal }) => source.name(value, signal),
		enabled: value !== "",
	});
	return { found: found.data, settled: !found.isFetching && paused === text, name: value === "" ? "" : chosen.data };
}

/**
 * SearchInput chooses one of very many by typing a part of its name; the server searches. Keys are those of every
 * list of this kind: arrows, Enter, Escape.
 */
export function SearchInput({ id, label, source, value, onChange, onBlur, ...rest }: Props) {
	const { t } = useTranslation("ui");
	const [open, setOpen] = useState(false);
	/** Undefined as long as the name of what is chosen stands there. */
	const [typed, setTyped] = useState<string>();
	const [at, setAt] = useState(0);
	const { found = [], settled, name } = useFound(source, typed ?? "", value, open);
	const close = () => {
		setOpen(false);
		setTyped(undefined);
	};
	const choose = (choice: Choice) => {
		onChange(choice.value);
		close();
	};
	const pressed = (event: KeyboardEvent) => {
		const to = next(event.key, at, found.length);
		if (!open && event.key === "ArrowDown") setOpen(true);
		else if (open && to !== undefined) {
			event.preventDefault();
			setAt(to);
		} else if (open && event.key === "Enter") {
			event.preventDefault();
			if (found[at]) choose(found[at]);
		} else if (open && event.key === "Escape") {
			// The dialog that it is in stays.
			event.nativeEvent.stopPropagation();
			close();
		}
	};
	const left: Props["onBlur"] = (event) => {
		// Emptied by hand: nothing is chosen then.
		if (typed === "") onChange("");
		close();
		onBlur?.(event);
	};
	return (
		<div className="gw-search">
			<TextInput
				{...rest}
				id={id}
				role="combobox"
				aria-label={label}
				aria-expanded={open}
				aria-autocomplete="list"
				aria-controls={`${id}-list`}
				aria-activedescendant={open && found[at] ? `${id}-${at}` : undefined}
				autoComplete="off"
				spellCheck={false}
				customIcon={<SearchIcon />}
				placeholder={rest.placeholder ?? t("table.search")}
				value={typed ?? name ?? ""}
				onClick={() => setOpen(true)}
				onChange={(_, text) => {
					setOpen(true);
					setTyped(text);
					setAt(0);
				}}
				onKeyDown={pressed}
				onBlur={left}
			/>
			<div id={`${id}-list`} role="listbox" aria-label={label} hidden={!open} className="gw-search-list">
				{found.map((choice, place) => (
					<Option
						key={choice.value}
						id={`${id}-${place}`}
						choice={choice}
						active={place === at}
						onChoose={() => choose(choice)}
					/>
				))}
			</div>
			<p role="status" className="gw-search-none" hidden={!open || found.length > 0}>
				{open && (settled ? t("table.none") : t("loading"))}
			</p>
		</div>
	);
}

interface OptionProps {
	id: string;
	choice: Choice;
	active: boolean;
	onChoose: () => void;
}

/** Option is one entry of the list. */
export function Option({ id, choice, active, onChoose }: OptionProps) {
	return (
		// biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the input, which names the active option
		// biome-ignore lint/a11y/useKeyWithClickEvents: the input has the keys
		<div
			id={id}
			role="option"
			aria-selected={active}
			// The input keeps the focus, or the list would be gone before the click.
			onMouseDown={(event) => event.preventDefault()}
			onClick={onChoose}
		>
			<span>{choice.label}</span>
			{choice.hint && <code>{choice.hint}</code>}
		</div>
	);
}
