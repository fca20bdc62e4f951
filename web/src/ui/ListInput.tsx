import { TextArea } from "@patternfly/react-core";
import { type ComponentProps, useState } from "react";

/** listOf reads what was typed: one entry per line, or with commas or spaces between. */
export const listOf = (text: string) => text.split(/[\s,;]+/).filter(Boolean);

interface Props extends Omit<ComponentProps<typeof TextArea>, "value" | "onChange" | "ref"> {
	value: string[];
	onChange: (value: string[]) => void;
}

/** ListInput takes several short values, one per line. What is typed stays as it is typed. */
export function ListInput({ value, onChange, ...rest }: Props) {
	const [text, setText] = useState(value.join("\n"));
	const change = (typed: string) => {
		setText(typed);
		onChange(listOf(typed));
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
