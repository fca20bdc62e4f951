import { TextInput } from "@patternfly/react-core";
import type { ComponentProps } from "react";
import type { Choice } from "./fields";

interface Props extends Omit<ComponentProps<typeof TextInput>, "onChange"> {
	id: string;
	/** A hook: what is suggested. */
	useChoices: () => Choice[];
	onChange: (value: string) => void;
}

/** SuggestInput takes any text, and suggests some. */
export function SuggestInput({ useChoices, onChange, ...rest }: Props) {
	const choices = useChoices();
	const list = `${rest.id}-list`;
	return (
		<>
			<TextInput
				{...rest}
				list={list}
				autoComplete="off"
				spellCheck={false}
				autoCapitalize="none"
				onChange={(_, text) => onChange(text)}
			/>
			<datalist id={list}>
				{choices.map((choice) => (
					<option key={choice.value} value={choice.value} label={choice.label} />
				))}
			</datalist>
		</>
	);
}
