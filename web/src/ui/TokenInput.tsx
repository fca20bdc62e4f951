import "./search.css";
import { TextInput } from "@patternfly/react-core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { type ComponentProps, type KeyboardEvent, useState } from "react";
import type { Choice, ChoiceSource } from "./fields";
import { next, Option, usePaused } from "./SearchInput";

interface Props extends Omit<ComponentProps<typeof TextInput>, "onChange" | "value"> {
	id: string;
	label: string;
	/** Knows names that complete the entry that is being typed; the value of a choice is what is typed. */
	source: ChoiceSource;
	value: string;
	onChange: (value: string) => void;
}

/** lastEntry is where the entry begins that is being typed: after the last comma that is not in quotes. */
export function lastEntry(text: string): number {
	const quotes = text.split('"').length - 1;
	const from = quotes % 2 === 1 ? text.lastIndexOf('"') : text.lastIndexOf(",") + 1;
	return from + text.slice(from).search(/\S|$/);
}

/** TokenInput takes a list with commas between, typed freely, and completes names that the server has. */
export function TokenInput({ id, label, source, value, onChange, onBlur, ...rest }: Props) {
	const [open, setOpen] = useState(false);
	/** None is chosen until an arrow is pressed: Enter sends the form. */
	const [at, setAt] = useState(-1);
	const entry = usePaused(value.slice(lastEntry(value)).replaceAll('"', "").trim());
	const { data: found = [] } = useQuery({
		queryKey: [{ _id: `${source.key} complete`, tags: [source.tag], entry }],
		queryFn: ({ signal }) => source.find(entry, signal),
		enabled: open,
		placeholderData: keepPreviousData,
	});
	const shown = open && found.length > 0;
	const close = () => {
		setOpen(false);
		setAt(-1);
	};
	const choose = (choice: Choice) => {
		onChange(`${value.slice(0, lastEntry(value))}${choice.value}`);
		close();
	};
	const pressed = (event: KeyboardEvent) => {
		const to = next(event.key, at, found.length);
		const active = found[at];
		if (shown && to !== undefined) {
			event.preventDefault();
			setAt(to);
		} else if (shown && event.key === "Enter" && active) {
			event.preventDefault();
			choose(active);
		} else if (shown && event.key === "Escape") {
			// The dialog that it is in stays.
			event.nativeEvent.stopPropagation();
			close();
		}
	};
	const left: Props["onBlur"] = (event) => {
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
				aria-expanded={shown}
				aria-autocomplete="list"
				aria-controls={`${id}-list`}
				aria-activedescendant={shown && found[at] ? `${id}-${at}` : undefined}
				autoComplete="off"
				spellCheck={false}
				autoCapitalize="none"
				value={value}
				onChange={(_, text) => {
					setOpen(true);
					setAt(-1);
					onChange(text);
				}}
				onKeyDown={pressed}
				onBlur={left}
			/>
			<div id={`${id}-list`} role="listbox" aria-label={label} hidden={!shown} className="gw-search-list">
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
		</div>
	);
}
