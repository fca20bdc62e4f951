import { TextArea } from "@patternfly/react-core";
import { type ComponentProps, useState } from "react";

/** listOf reads what was typed: one entry per line, or with commas or spaces between unless entries may have some. */
export const listOf = (text: string, lines = false) =>
	text
		.split(lines ? "\n" : /[\s,;]+/)
		.map((entry) => entry.trim())
		.filter(Boolean);

interface Props extends Omit<ComponentProps<typeof TextArea>, "value" | "onChange" | "ref"> {
	value: string[];
	onChange: (value: string[]) => void;
	/** Entries may have spaces. */
	lines?: boolean;
}

/** ListInput takes several short values, one per line. What is typed stays as it is typed. */
export function ListInput({ value, onChange, lines, ...rest }: Props) {
	const [text, setText] = useState(value.join("\n"));
	const change = (typed: string) => {
		setText(typed);
		onChange(listOf(typed, lines));
	};
	const rows = Math.min(12, Math.max(2, text.split("\n").length));
	return (
		<TextArea
			{...rest}
			className="gw-list"
			rows={rows}
			resizeOrientation="vertical"
			value={text}
			onChange={(_, typed) => change(typed)}
		/>
	);
}
